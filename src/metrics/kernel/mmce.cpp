#include "plumb/metrics/kernel/mmce.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_block.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

// The distinct p of positive mass, ascending; each is rounded once from order-free sums. And their totals.
class DistinctVotes {
 public:
  // Calls visit(p, mass, hits) for those of a column, or of its next stretch.
  template <class Visit>
  void visit(const ForecastsView& ascending, Visit visit) {
    const bool whole_counts = ascending.whole_counts && ascending.weight.empty();
    if (whole_counts && ascending.trials.empty() && ascending.times.empty())
      return visit_single(ascending, visit);
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
        whole_mass_ += mass, whole_hits_ += hits;
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
      mass_.merge(mass);
      hits_.merge(hits);
    }
  }
  // One kind is 0: a column has weights, or it has none.
  [[nodiscard]] double mass() const { return static_cast<double>(whole_mass_) + mass_.value(); }
  [[nodiscard]] double hits() const { return static_cast<double>(whole_hits_) + hits_.value(); }

 private:
  // One vote each: counts as doubles, which are exact.
  template <class Visit>
  void visit_single(const ForecastsView& ascending, Visit visit) {
    const std::size_t n = ascending.size();
    const double *const p = ascending.p.data(), *const hit = ascending.hits.data();
    double all_hits = 0;
    for (std::size_t i = 0; i < n;) {
      const std::size_t begin = i;
      double hits = hit[i];
      for (++i; i < n && p[i] == p[begin]; ++i) hits += hit[i];
      visit(p[begin], static_cast<double>(i - begin), hits);
      all_hits += hits;
    }
    whole_mass_ += static_cast<std::int64_t>(n);
    whole_hits_ += static_cast<std::int64_t>(all_hits);
  }

  ExactSum mass_, hits_;
  std::int64_t whole_mass_ = 0, whole_hits_ = 0;
};

/// One more p: its terms of the sum below; `before` is that sum over all earlier ones, seen from this p.
double carried(double& before, double decay, double a) {
  before *= decay;
  const double term = a * (2.0 * before + a);
  before += a;
  return term;
}

// sum_ij a_i a_j exp(-|p_i - p_j| / width) over ascending p: the sum over j < i carries over from one p to
// the next with a decaying factor.
class QuadraticForm {
 public:
  explicit QuadraticForm(double width) : width_(width) {}
  void add(double p, double a) {
    decay_[held_] = first_ ? 0.0 : p - last_;
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
    for (double& d : decay) d = -d / width_;
    exp_block(decay, decay);
    for (std::size_t i = 0; i < held_; ++i) a_[i] = carried(before_, decay_[i], a_[i]);
    add_block(sum_, std::span<const double>(a_.data(), held_));
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

/// `each(use)` calls use(stretch) for the stretches of a column, in ascending order.
template <class Each>
static Estimate mmce_of(double width, Each each) {
  QuadraticForm form(width);
  DistinctVotes distinct;
  each([&](const ForecastsView& f) {
    distinct.visit(f, [&](double p, double mass, double hits) { form.add(p, hits - mass * p); });
  });
  if (!(distinct.mass() > 0.0)) return Estimate::undefined(kNoVotes);
  return std::sqrt(form.value()) / distinct.mass();
}

Estimate mmce(const ForecastsView& ascending, double width) {
  return mmce_of(width, [&](auto use) { use(ascending); });
}

Estimate mmce(const ConfidenceColumn& column, int threads) {
  return mmce_of(kMmceWidth, [&](auto use) { column.each(false, threads, use); });
}

MmceDraws::MmceDraws(const ForecastsView& f) : whole_(f.whole_counts && f.weight.empty() && f.times.empty()) {
  if (!whole_) return;
  bool ones = true;
  for (std::size_t i = 0; i < f.size();) {
    const std::size_t begin = i;
    double mass = 0;
    for (; i < f.size() && f.p[i] == f.p[begin]; ++i) mass += f.trials_of(i);
    if (mass == 0) continue;
    decay_.push_back(first_.empty() ? 0.0 : -(f.p[begin] - f.p[first_.back()]) / kMmceWidth);
    mass_.push_back(mass);
    first_.push_back(static_cast<std::uint32_t>(begin));
    ones = ones && mass == 1;
    total_ += mass;
  }
  exp_block(decay_, decay_);
  if (!ones) return;
  mass_ = {};
  if (first_.size() == f.size()) first_ = {};
}

Estimate MmceDraws::operator()(const ForecastsView& f) const {
  if (!whole_ || !f.whole_counts) return mmce(f);
  if (!(total_ > 0.0)) return Estimate::undefined(kNoVotes);
  std::array<double, 512> term;
  double before = 0;
  ExactSum sum;
  for (std::size_t begin = 0; begin < decay_.size(); begin += term.size()) {
    const std::size_t n = std::min(term.size(), decay_.size() - begin);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t g = begin + j;
      if (first_.empty()) {
        term[j] = carried(before, decay_[g], f.hits[g] - f.p[g]);
        continue;
      }
      const std::size_t row = first_[g], end = g + 1 < first_.size() ? first_[g + 1] : f.size();
      double hits = 0;  // rows without votes have none
      for (std::size_t i = row; i < end; ++i) hits += f.hits[i];
      term[j] = carried(before, decay_[g], hits - (mass_.empty() ? 1.0 : mass_[g]) * f.p[row]);
    }
    add_block(sum, std::span<const double>(term).first(n));
  }
  return std::sqrt(std::max(0.0, sum.value())) / total_;
}

Estimate mmce_weighted(const ForecastsView& ascending, double width) {
  DistinctVotes total;
  total.visit(ascending, [](double, double, double) {});
  if (!(total.mass() > 0.0)) return Estimate::undefined(kNoVotes);
  const double total_misses = total.mass() - total.hits();
  const double per_hit = total.hits() > 0.0 ? 1.0 / total.hits() : 0.0;
  const double per_miss = total_misses > 0.0 ? 1.0 / total_misses : 0.0;
  QuadraticForm form(width);
  DistinctVotes().visit(ascending, [&](double p, double mass, double hits) {
    form.add(p, hits * (1.0 - p) * per_hit - (mass - hits) * p * per_miss);
  });
  return std::sqrt(form.value());
}

}  // namespace plumb
