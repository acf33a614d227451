#include "plumb/metrics/kernel/mmce.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

// Calls visit(p, mass, hits) for the distinct p of positive mass, ascending; each is rounded once from
// order-free sums. Returns the totals.
struct VoteTotals {
  double mass, hits;
};
template <class Visit>
VoteTotals each_distinct(const ForecastsView& ascending, Visit visit) {
  const bool whole_counts = ascending.whole_counts && ascending.weight.empty();
  ExactSum total_mass, total_hits;
  std::int64_t whole_mass = 0, whole_hits = 0;
  for (std::size_t i = 0; i < ascending.size();) {
    const double p = ascending.p[i];
    if (whole_counts) {  // counts are exact in any order
      std::int64_t mass = 0, hits = 0;
      for (; i < ascending.size() && ascending.p[i] == p; ++i) {
        const std::int64_t times = ascending.times.empty() ? 1 : ascending.times[i];
        mass += times * static_cast<std::int64_t>(ascending.trials_of(i));
        hits += times * static_cast<std::int64_t>(ascending.hits[i]);
      }
      if (mass == 0) continue;
      visit(p, static_cast<double>(mass), static_cast<double>(hits));
      whole_mass += mass, whole_hits += hits;
      continue;
    }
    ExactSum mass, hits;
    for (; i < ascending.size() && ascending.p[i] == p; ++i) {
      const double w = ascending.weight_of(i);
      mass.add(w * ascending.trials_of(i));
      hits.add(w * ascending.hits[i]);
    }
    if (mass.is_zero()) continue;
    visit(p, mass.value(), hits.value());
    total_mass.merge(mass);
    total_hits.merge(hits);
  }
  if (whole_counts) return {static_cast<double>(whole_mass), static_cast<double>(whole_hits)};
  return {total_mass.value(), total_hits.value()};
}

// sum_ij a_i a_j exp(-|p_i - p_j| / width) over ascending p: the sum over j < i carries over from one p to
// the next with a decaying factor.
class QuadraticForm {
 public:
  explicit QuadraticForm(double width) : width_(width) {}
  void add(double p, double a) {
    decay_[held_] = first_ ? 0.0 : -(p - last_) / width_;
    a_[held_] = a;
    first_ = false;
    last_ = p;
    if (++held_ == kHeld) flush();
  }
  double value() {
    flush();
    return std::max(0.0, sum_.value());  // the kernel is positive definite
  }

 private:
  void flush() {
    const std::span<double> decay(decay_.data(), held_);
    exp_block(decay, decay);
    for (std::size_t i = 0; i < held_; ++i) {
      before_ *= decay_[i];
      sum_.add(a_[i] * (2.0 * before_ + a_[i]));
      before_ += a_[i];
    }
    held_ = 0;
  }
  static constexpr std::size_t kHeld = 512;
  double width_, last_ = 0;
  double before_ = 0;  // sum_{j < i} a_j exp(-(p_i - p_j) / width)
  bool first_ = true;
  std::array<double, kHeld> decay_, a_;
  std::size_t held_ = 0;
  ExactSum sum_;
};

}  // namespace

Estimate mmce(const ForecastsView& ascending, double width) {
  QuadraticForm form(width);
  const VoteTotals total =
      each_distinct(ascending, [&](double p, double mass, double hits) { form.add(p, hits - mass * p); });
  if (!(total.mass > 0.0)) return Estimate::undefined(kNoVotes);
  return std::sqrt(form.value()) / total.mass;
}

Estimate mmce_weighted(const ForecastsView& ascending, double width) {
  const VoteTotals total = each_distinct(ascending, [](double, double, double) {});
  if (!(total.mass > 0.0)) return Estimate::undefined(kNoVotes);
  const double total_misses = total.mass - total.hits;
  const double per_hit = total.hits > 0.0 ? 1.0 / total.hits : 0.0;
  const double per_miss = total_misses > 0.0 ? 1.0 / total_misses : 0.0;
  QuadraticForm form(width);
  (void)each_distinct(ascending, [&](double p, double mass, double hits) {
    form.add(p, hits * (1.0 - p) * per_hit - (mass - hits) * p * per_miss);
  });
  return std::sqrt(form.value());
}

}  // namespace plumb
