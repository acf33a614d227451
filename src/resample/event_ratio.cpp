#include "plumb/resample/event_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

constexpr double kMostWork = 1e6;

double total_of(std::span<const double> x) {
  ExactSum sum;
  for (const double v : x) sum.add(v);
  return sum.value();
}

/// Chances of 0, 1, ..., k hits. A row is added at a time; states beyond k are not kept.
std::vector<double> first_chances(std::span<const double> chances, std::int64_t k) {
  std::vector<double> at(k + 1, 0.0);
  at[0] = 1;
  std::int64_t most = 0;
  for (const double p : chances) {
    most = std::min(most + 1, k);
    for (std::int64_t j = most; j > 0; --j) at[j] = at[j] * (1 - p) + at[j - 1] * p;
    at[0] *= 1 - p;
  }
  return at;
}

std::vector<double> complements(std::span<const double> p) {
  std::vector<double> out(p.begin(), p.end());
  for (double& x : out) x = 1 - x;
  return out;
}

/// Expected hits and their tails when all odds are `factor` times as large.
struct Shifted {
  std::vector<double> chances;
  Shifted(std::span<const double> p, double factor) : chances(p.begin(), p.end()) {
    for (double& x : chances) x = x * factor / (1 - x + x * factor);
  }
};

/// The factor at which `tail` falls to `target`, by bisection of its logarithm; it moves one way with the
/// factor: up where `rising`.
template <class Tail>
double factor_at(double target, bool rising, Tail tail) {
  double low = 0x1p-40, high = 0x1p40;
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    ((tail(middle) < target) == rising ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

PoissonBinomialTails poisson_binomial_tails(std::span<const double> chances, std::int64_t k) {
  const std::int64_t n = std::ssize(chances);
  // From the nearer end: hits, or misses with their chances.
  if (2 * k > n) {
    const PoissonBinomialTails misses = poisson_binomial_tails(complements(chances), n - k);
    return {misses.above, misses.below};
  }
  const std::vector<double> at = first_chances(chances, k);
  const double up_to = total_of(at);
  return {std::max(up_to - at.back(), 0.0), std::max(1 - up_to, 0.0)};
}

std::optional<Bounds> event_ratio_bounds(const ForecastsView& f, double level) {
  if (!f.trials.empty() || !f.weight.empty() || !f.times.empty() || !f.whole_counts) return std::nullopt;
  const double items = static_cast<double>(f.size());
  if (f.size() == 0 || items > kMostWork) return std::nullopt;
  const auto events = static_cast<std::int64_t>(total_of(f.hits));
  const std::int64_t rarer = std::min(events, std::ssize(f.p) - events);
  if (items * static_cast<double>(rarer + 1) > kMostWork) return std::nullopt;
  std::vector<double> p(f.p.begin(), f.p.end());
  std::sort(p.begin(), p.end());  // one order of multiplication, whatever the rows'
  const double expected = total_of(p);
  if (p.front() == 0 || p.back() == 1) return std::nullopt;  // no factor moves them
  const double miss = (1 - level) / 2;
  const auto ratio = [&](double factor) { return total_of(Shifted(p, factor).chances) / expected; };
  Bounds out{0, items / expected};
  if (events > 0)
    out.low = ratio(factor_at(miss, true, [&](double factor) {
      return 1 - poisson_binomial_tails(Shifted(p, factor).chances, events).below;
    }));
  if (events < std::ssize(p))
    out.high = ratio(factor_at(miss, false, [&](double factor) {
      return 1 - poisson_binomial_tails(Shifted(p, factor).chances, events).above;
    }));
  return out;
}

}  // namespace plumb
