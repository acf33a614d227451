#include "plumb/metrics/ordered/honest_band.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/metrics/ordered/isotonic.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostRunBlocks = 30;

struct RunBlock {
  double low = 0, high = 0;  // least and largest p
  double hits = 0, votes = 0;
};

/// Equal p stay together.
std::vector<RunBlock> run_blocks(const ForecastsView& f) {
  double total = 0;
  for (std::size_t i = 0; i < f.size(); ++i) total += f.weight_of(i) * f.trials_of(i);
  const double share = total / kMostRunBlocks;
  std::vector<RunBlock> out;
  for (std::size_t first = 0, last = 0; first < f.size(); first = last) {
    double hits = 0, votes = 0;
    for (; last < f.size() && f.p[last] == f.p[first]; ++last) {
      hits += f.weight_of(last) * f.hits[last];
      votes += f.weight_of(last) * f.trials_of(last);
    }
    if (votes == 0) continue;
    if (out.empty() || out.back().votes >= share) out.push_back({f.p[first], f.p[first], 0, 0});
    out.back().high = f.p[first];
    out.back().hits += hits;
    out.back().votes += votes;
  }
  return out;
}

double divergence(double a, double b) {
  double out = 0;
  if (a > 0) out += b > 0 ? a * log_portable(a / b) : 1e300;
  if (a < 1) out += b < 1 ? (1 - a) * log_portable((1 - a) / (1 - b)) : 1e300;
  return out;
}

/// The largest (or least) b with KL(a, b) <= limit.
double farthest(double a, double limit, bool above) {
  double near = a, far = above ? 1.0 : 0.0;
  if (divergence(a, far) <= limit) return far;
  for (int step = 0; step < 60; ++step) {
    const double middle = (near + far) / 2;
    (divergence(a, middle) <= limit ? near : far) = middle;
  }
  return far;
}

}  // namespace

HonestBand honest_band(const ForecastsView& ascending, std::span<const double> at, double level,
                       double dependence) {
  const std::vector<RunBlock> blocks = run_blocks(ascending);
  HonestBand out;
  if (blocks.empty()) return out;
  const std::size_t k = blocks.size();
  const double runs = static_cast<double>(k * (k + 1)) / 2;
  const double cost = log_portable(2 * runs / (1 - level)) * dependence;
  // The best bound of the runs that begin at a block or later, and of those that end at it or earlier.
  std::vector<double> high(k + 1, 1.0), low(k + 1, 0.0);
  for (std::size_t first = 0; first < k; ++first) {
    double hits = 0, votes = 0;
    for (std::size_t last = first; last < k; ++last) {
      hits += blocks[last].hits;
      votes += blocks[last].votes;
      const double mean = std::clamp(hits / votes, 0.0, 1.0), limit = cost / votes;
      high[first] = std::min(high[first], farthest(mean, limit, true));
      low[last + 1] = std::max(low[last + 1], farthest(mean, limit, false));
    }
  }
  for (std::size_t b = k; b-- > 0;) high[b] = std::min(high[b], high[b + 1]);
  for (std::size_t b = 0; b < k; ++b) low[b + 1] = std::max(low[b + 1], low[b]);
  for (const double p : at) {
    const auto above =
        std::find_if(blocks.begin(), blocks.end(), [p](const RunBlock& b) { return b.low >= p; });
    const auto below =
        std::find_if(blocks.begin(), blocks.end(), [p](const RunBlock& b) { return b.high > p; });
    out.high.push_back(high[above - blocks.begin()]);
    out.low.push_back(low[below - blocks.begin()]);
  }
  return out;
}

double vote_dependence(const ForecastsView& f, std::span<const std::uint32_t> unit, std::size_t units) {
  const std::vector<IsotonicBlock> blocks = isotonic_blocks(f);
  double heaviest = 0;
  for (std::size_t i = 0; i < f.size(); ++i) heaviest = std::max(heaviest, f.weight_of(i));
  if (blocks.empty() || !(heaviest > 0)) return 1;
  // Residuals of units as whole numbers, so that the order of the rows does not matter.
  constexpr double kSteps = 1 << 20;
  std::vector<std::int64_t> residual(unit.empty() ? f.size() : units);
  ExactSum variance, alone;
  std::size_t b = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double w = f.weight_of(i) / heaviest, n = f.trials_of(i);
    if (!(w * n > 0)) continue;
    while (blocks[b].high < f.p[i]) ++b;
    const double c = blocks[b].mean(), one = c * (1 - c);
    variance.add(w * n * one);
    alone.add(w * w * n * one);
    residual[unit.empty() ? i : unit[i]] += std::llround(w * (f.hits[i] - n * c) * kSteps);
  }
  if (!(variance.value() > 0)) return heaviest;
  ExactSum squares;
  for (const std::int64_t r : residual) {
    const double x = static_cast<double>(r) / kSteps;
    squares.add(x * x);
  }
  const double apart = std::max<double>(static_cast<double>(residual.size()) - 1, 1);
  const double together = squares.value() * static_cast<double>(residual.size()) / apart;
  return heaviest * std::max(together, alone.value()) / variance.value();
}

}  // namespace plumb
