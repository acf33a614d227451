#include "plumb/metrics/ordered/honest_band.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/elementary.hpp"

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
  for (std::size_t i = 0; i < f.size(); ++i) total += f.trials_of(i);
  const double share = total / kMostRunBlocks;
  std::vector<RunBlock> out;
  for (std::size_t first = 0, last = 0; first < f.size(); first = last) {
    double hits = 0, votes = 0;
    for (; last < f.size() && f.p[last] == f.p[first]; ++last) {
      hits += f.hits[last];
      votes += f.trials_of(last);
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

HonestBand honest_band(const ForecastsView& ascending, std::span<const double> at, double level) {
  const std::vector<RunBlock> blocks = run_blocks(ascending);
  HonestBand out;
  if (blocks.empty()) return out;
  const std::size_t k = blocks.size();
  const double runs = static_cast<double>(k * (k + 1)) / 2, cost = log_portable(2 * runs / (1 - level));
  // The best bound of the runs that begin at a block or later, and of those that end at it or earlier.
  std::vector<double> high(k + 1, 1.0), low(k + 1, 0.0);
  for (std::size_t first = 0; first < k; ++first) {
    double hits = 0, votes = 0;
    for (std::size_t last = first; last < k; ++last) {
      hits += blocks[last].hits;
      votes += blocks[last].votes;
      const double mean = hits / votes, limit = cost / votes;
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

}  // namespace plumb
