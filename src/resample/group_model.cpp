// The copula's correlation: its likelihood on a grid, and draws from what the likelihood leaves open.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/null_model.hpp"
#include "resample/normal_table.hpp"

namespace plumb {
namespace {

/// Roots of rho: near 0 the likelihood is smooth in them.
constexpr std::array kRoots = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.995};
constexpr int kFine = 16;  // points of the posterior per step of the grid

/// Values of the group's own normal number and their weights: the trapezoidal rule, which is near exact for
/// steps no wider than what is integrated.
struct Nodes {
  std::vector<double> x, w;
  double from_group, from_item;
};
Nodes nodes_of(double root) {
  Nodes out{{0}, {1}, root, std::sqrt(1 - root * root)};
  if (root == 0) return out;
  constexpr double kEnd = 4.5;
  const auto half = static_cast<int>(std::ceil(kEnd / std::min(0.5, 1.5 * out.from_item)));
  out.x.clear();
  out.w.clear();
  for (int k = -half; k <= half; ++k) {
    out.x.push_back(kEnd * k / half);
    out.w.push_back(exp_portable(-0.5 * out.x.back() * out.x.back()));
  }
  const double sum = std::accumulate(out.w.begin(), out.w.end(), 0.0);
  for (double& w : out.w) w /= sum;
  return out;
}

/// The rows of one group: item i has its hits when its normal number lies between two thresholds.
class GroupRows {
 public:
  GroupRows(const ForecastsView& f, const VoteCounts& votes, std::vector<std::uint32_t> rows) {
    // Equal rows have equal terms: sorted this way, sums do not depend on the order of the file.
    const auto key = [&](std::uint32_t i) { return std::array{f.p[i], f.trials_of(i), f.hits[i]}; };
    std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return key(a) < key(b); });
    constexpr std::size_t kRows = 512;  // of many rows every k-th is enough
    const std::size_t step = (rows.size() + kRows - 1) / kRows;
    std::vector<double> tail;
    for (std::size_t r = step / 2; r < rows.size(); r += step) {
      const std::uint32_t i = rows[r];
      votes.tails(f, i, tail);
      const auto hits = static_cast<std::size_t>(f.hits[i]);
      const double above = hits < tail.size() ? tail[hits] : 0;  // chance of more hits than there were
      const double upto = hits > 0 ? tail[hits - 1] : 1;
      row_.push_back({quantile(above), quantile(upto)});
    }
  }

  [[nodiscard]] double log_likelihood(const Nodes& nodes) const {
    thread_local std::vector<double> logs;
    logs.clear();
    for (const double x : nodes.x) logs.push_back(given(nodes.from_group * x, 1 / nodes.from_item));
    const double most = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (std::size_t k = 0; k < logs.size(); ++k) sum += nodes.w[k] * exp_portable(logs[k] - most);
    return most + log_portable(sum);
  }

 private:
  struct Row {
    double low, high;
  };
  static constexpr double kFar = 40;
  static double quantile(double chance) {
    if (chance <= 0) return -kFar;
    return chance >= 1 ? kFar : detail::table_normal_quantile(chance);
  }
  /// Given the group's part of the normal number items are independent.
  [[nodiscard]] double given(double shift, double scale) const {
    constexpr double kLeast = 1e-6;  // an outcome that the forecasts exclude is ignored
    constexpr double kSmall = 1e-200;
    double product = 1, out = 0;
    for (const Row& r : row_) {
      const double high = r.high == kFar ? 1 : detail::table_normal_cdf((r.high - shift) * scale);
      const double low = r.low == -kFar ? 0 : detail::table_normal_cdf((r.low - shift) * scale);
      product *= std::max(high - low, kLeast);
      if (product > kSmall) continue;
      out += log_portable(product);
      product = 1;
    }
    return out + log_portable(product);
  }
  std::vector<Row> row_;
};

using Grid = std::array<ExactSum, kRoots.size()>;

/// The parabola through three points of the grid near x.
double interpolated(const std::array<double, kRoots.size()>& y, double x, std::size_t step) {
  const std::size_t first = std::min(step, kRoots.size() - 3);
  double out = 0;
  for (std::size_t i = first; i < first + 3; ++i) {
    double term = y[i];
    for (std::size_t j = first; j < first + 3; ++j)
      if (j != i) term *= (x - kRoots[j]) / (kRoots[i] - kRoots[j]);
    out += term;
  }
  return out;
}

}  // namespace

double GroupModel::draw(std::uint64_t seed, std::uint32_t replicate) const {
  const double u = random_uniform(seed, Purpose::null_model, replicate, 0) * posterior.back();
  const auto above = std::upper_bound(posterior.begin() + 1, posterior.end() - 1, u);
  const double part = (u - above[-1]) / (*above - above[-1]);
  const auto at = above - posterior.begin();
  const double root = roots[at - 1] + part * (roots[at] - roots[at - 1]);
  return root * root;
}

GroupModel fit_groups(const ForecastsView& f, const VoteCounts& votes, std::span<const std::uint32_t> group,
                      std::int64_t groups, int threads) {
  std::vector<std::vector<std::uint32_t>> rows(groups);
  for (std::size_t i = 0; i < f.size(); ++i)
    if (f.trials_of(i) > 0 && (f.weight.empty() || f.weight[i] > 0))
      rows[group[i]].push_back(static_cast<std::uint32_t>(i));
  std::vector<Nodes> nodes;
  for (const double root : kRoots) nodes.push_back(nodes_of(root));
  const Grid sums = parallel_reduce_blocks(
      groups, 16, threads, Grid{},
      [&](Grid& grid, std::int64_t begin, std::int64_t end) {
        for (std::int64_t g = begin; g < end; ++g) {
          if (rows[g].size() < 2) continue;  // an item alone in its group has no information
          const GroupRows one(f, votes, std::move(rows[g]));
          for (std::size_t k = 0; k < kRoots.size(); ++k) grid[k].add(one.log_likelihood(nodes[k]));
        }
      },
      [](Grid& into, const Grid& from) {
        for (std::size_t k = 0; k < kRoots.size(); ++k) into[k].merge(from[k]);
      });
  std::array<double, kRoots.size()> y;
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = sums[k].value();
  GroupModel out;
  std::vector<double> logs;
  for (std::size_t k = 0; k + 1 < kRoots.size(); ++k)
    for (int j = 0; j < kFine; ++j) {
      out.roots.push_back(kRoots[k] + (kRoots[k + 1] - kRoots[k]) * j / kFine);
      logs.push_back(interpolated(y, out.roots.back(), k));
    }
  out.roots.push_back(kRoots.back());
  logs.push_back(y.back());
  const auto most = std::max_element(logs.begin(), logs.end());
  out.rho = out.roots[most - logs.begin()] * out.roots[most - logs.begin()];
  out.posterior.push_back(0);
  for (std::size_t k = 1; k < logs.size(); ++k)
    out.posterior.push_back(out.posterior.back() +
                            (out.roots[k] - out.roots[k - 1]) * 0.5 *
                                (exp_portable(logs[k] - *most) + exp_portable(logs[k - 1] - *most)));
  return out;
}

}  // namespace plumb
