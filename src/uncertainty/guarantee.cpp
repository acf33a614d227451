#include "plumb/uncertainty/guarantee.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/uncertainty/thresholds.hpp"

namespace plumb {
namespace {

constexpr int kCuts = 100;
constexpr int kStarts = 4;
constexpr int kFirstStart = 10;  // of kCuts: smaller parts hold too few errors to tell
// Shares of the largest bet: small ones for noisy units, large ones for few and sure ones.
constexpr std::array kBets{0.3, 0.6, 0.99};

/// The part of the column below one cut: p is at most the run that ends at `end` items from the top.
struct Cut {
  std::size_t items = 0;  ///< from the most certain on
  double value = 0, share = 0, mass = 0, hits = 0;
};

/// At every hundredth of the mass, runs of equal values whole; cuts that coincide are kept once, `step` is
/// the largest of them.
struct Cuts {
  std::vector<Cut> cuts;
  std::vector<int> at;  ///< by step 1..kCuts: place in `cuts`
  double total = 0;
};

Cuts find_cuts(const ForecastsView& f) {
  const std::size_t n = f.size();
  ExactSum all;
  const auto weighted = [&](std::size_t i, double x) { return f.weight_of(i) * x; };
  for (std::size_t i = 0; i < n; ++i) all.add(weighted(i, f.trials_of(i)));
  Cuts out;
  out.total = all.value();
  ExactSum mass, hits;
  int step = 1;
  for (std::size_t seen = 0; seen < n && step <= kCuts;) {
    const double p = f.p[n - 1 - seen];
    while (seen < n && f.p[n - 1 - seen] == p) {
      mass.add(weighted(n - 1 - seen, f.trials_of(n - 1 - seen)));
      hits.add(weighted(n - 1 - seen, f.hits[n - 1 - seen]));
      ++seen;
    }
    if (mass.value() * kCuts < step * out.total) continue;
    const double y = 0.0 - p;
    const double above = seen < n ? 0.0 - f.p[n - 1 - seen] : value_above(y);
    if (std::isinf(y) && y > 0) break;  // no finite threshold lies above it
    out.cuts.push_back({seen, std::min(above, std::numeric_limits<double>::max()), mass.value() / out.total,
                        mass.value(), hits.value()});
    for (; step <= kCuts && mass.value() * kCuts >= step * out.total; ++step)
      out.at.push_back(static_cast<int>(out.cuts.size()) - 1);
  }
  return out;
}

/// p-values of the cuts, which must be asked in order.
class Test {
 public:
  Test(const ForecastsView& f, std::span<const std::uint32_t> unit, std::size_t units, double target)
      : f_(f), unit_(unit), target_(target) {
    single_ = unit.empty() && f.trials.empty() &&
              std::equal(f.weight.begin() + !f.weight.empty(), f.weight.end(), f.weight.begin());
    if (!single_ && !unit.empty()) {
      gain_.resize(units);
      mass_.resize(units);
    }
  }

  double p_value(const Cut& cut) {
    if (single_) {
      const auto n = static_cast<std::int64_t>(cut.items);
      return binomial_at_most(n - std::llround(n * (cut.hits / cut.mass)), n, 1 - target_);
    }
    for (; seen_ < cut.items; ++seen_) {
      const std::size_t i = f_.size() - 1 - seen_;
      const double m = f_.weight_of(i) * f_.trials_of(i);
      if (unit_.empty()) {
        largest_ = std::max(largest_, m);
      } else {
        gain_[unit_[i]].add(f_.weight_of(i) * (f_.hits[i] - target_ * f_.trials_of(i)));
        largest_ = std::max(largest_, mass_[unit_[i]] += m);
      }
    }
    log_wealth_ = {};
    const auto bet = [&](double x) {
      for (std::size_t b = 0; b < kBets.size(); ++b)
        log_wealth_[b].add(log_portable(1 + kBets[b] / (target_ * largest_) * x));
    };
    if (unit_.empty()) {
      for (std::size_t j = 0; j < cut.items; ++j) {
        const std::size_t i = f_.size() - 1 - j;
        bet(f_.weight_of(i) * (f_.hits[i] - target_ * f_.trials_of(i)));
      }
    } else {
      for (const ExactSum& g : gain_) bet(g.value());
    }
    double e = 0;
    for (const ExactSum& w : log_wealth_) e += exp_portable(std::min(w.value(), 600.0));
    return std::min(1.0, kBets.size() / e);
  }

 private:
  ForecastsView f_;
  std::span<const std::uint32_t> unit_;
  double target_, largest_ = 0;  ///< mass of a unit among those kept so far
  bool single_ = false;          ///< one vote of the same weight per item
  std::size_t seen_ = 0;
  std::array<ExactSum, kBets.size()> log_wealth_;
  std::vector<ExactSum> gain_;
  std::vector<double> mass_;
};

/// Steps where a run begins: from a tenth of the items, or from what a perfect record needs, to the end.
std::array<int, kStarts> find_starts(std::int64_t units, double target, double level) {
  const double needed = target < 1 ? log_portable(level / kStarts) / log_portable(target) : units;
  const int first = std::clamp(static_cast<int>(std::ceil(kCuts * needed / units)), kFirstStart, kCuts);
  std::array<int, kStarts> out;
  for (int s = 0; s < kStarts; ++s) out[s] = first + (kCuts - first) * s / kStarts;
  return out;
}

Guarantee guarantee(const ForecastsView& f, std::span<const std::uint32_t> unit, std::size_t units,
                    const Cuts& cuts, double target, double level) {
  Test test(f, unit, units, target);
  const auto starts = find_starts(unit.empty() ? std::ssize(f.p) : units, target, level);
  Guarantee out;
  double carried = 0;
  int tested = -1;
  double p = 1;
  for (int step = starts[0]; step <= std::ssize(cuts.at); ++step) {
    const int at = cuts.at[step - 1];
    const double here = carried + std::count(starts.begin(), starts.end(), step) * level / kStarts;
    if (here == 0) continue;
    if (at != tested) p = test.p_value(cuts.cuts[at]);
    tested = at;
    carried = p <= here ? here : 0;
    if (carried == 0) continue;
    const Cut& cut = cuts.cuts[at];
    out.value = cut.value;
    out.share = cut.share;
    out.accuracy = cut.hits / cut.mass;
  }
  return out;
}

}  // namespace

// The terms fall on either side of the mean, so that the side away from it is summed from its largest term
// on; from the other side the first terms would vanish below the smallest number.
double binomial_at_most(std::int64_t k, std::int64_t n, double p) {
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  const double size = n, odds = p / (1 - p);
  const bool below = k < size * p;
  double j = below ? k : k + 1, sum = 0;
  double term = exp_portable(log_gamma(size + 1) - log_gamma(j + 1) - log_gamma(size - j + 1) +
                             j * log_portable(p) + (size - j) * log_portable(1 - p));
  while (j >= 0 && j <= size && term > sum * 1e-17) {
    sum += term;
    term *= below ? j / ((size - j + 1) * odds) : (size - j) / (j + 1) * odds;
    j += below ? -1 : 1;
  }
  return std::clamp(below ? sum : 1 - sum, 0.0, 1.0);
}

std::int64_t least_units(double target, double confidence) {
  return static_cast<std::int64_t>(
      std::ceil(log_portable((1 - confidence) / kStarts) / log_portable(target)));
}

std::vector<Guarantee> guaranteed_thresholds(const ForecastsView& column, std::span<const std::uint32_t> unit,
                                             std::size_t units, std::span<const double> targets,
                                             double confidence) {
  std::vector<Guarantee> out(targets.size());
  if (column.size() == 0) return out;
  const Cuts cuts = find_cuts(column);
  for (std::size_t j = 0; j < targets.size(); ++j)
    if (targets[j] < 1) out[j] = guarantee(column, unit, units, cuts, targets[j], 1 - confidence);
  return out;
}

}  // namespace plumb
