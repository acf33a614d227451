// The copula's correlation by moments.
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

constexpr std::array kRho = {0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2,  0.3,
                             0.4, 0.5,  0.6,  0.7,  0.8, 0.9,  0.96, 0.99};

/// Values of the group's own normal number and their weights: the trapezoidal rule, which is near exact for
/// steps no wider than what is integrated.
struct Nodes {
  std::vector<double> x, w;
  double from_group, from_item;  ///< roots of rho and 1 - rho
};
Nodes nodes_of(double rho) {
  Nodes out{{}, {}, std::sqrt(rho), std::sqrt(1 - rho)};
  if (rho == 0) return {{0}, {1}, 0, 1};
  constexpr double kEnd = 4.5;
  const auto half = static_cast<int>(std::ceil(kEnd / std::min(0.5, 1.5 * out.from_item)));
  for (int k = -half; k <= half; ++k) out.x.push_back(kEnd * k / half);
  for (const double x : out.x) out.w.push_back(exp_portable(-0.5 * x * x));
  const double sum = std::accumulate(out.w.begin(), out.w.end(), 0.0);
  for (double& w : out.w) w /= sum;
  return out;
}

/// The rows of one group in ascending order of forecast, then of votes: equal rows have equal terms, so that
/// their order in the file moves no sum.
class GroupRows {
 public:
  GroupRows(const ForecastsView& f, const VoteCounts& votes, std::vector<std::uint32_t> rows) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return f.p[a] < f.p[b] || (f.p[a] == f.p[b] && f.trials_of(a) < f.trials_of(b));
    });
    double hits = 0, mean = 0, squared = 0;
    for (const std::uint32_t i : rows) {
      const double n = f.trials_of(i), e = f.hits[i] - n * f.p[i];
      hits += f.hits[i];
      mean += n * f.p[i];
      variance_ += n * f.p[i] * (1 - f.p[i]) * (1 + (n - 1) * votes.correlation(i));
      squared += e * e;
    }
    pairs_ = (hits - mean) * (hits - mean) - squared;
    // Of many rows every k-th speaks for its neighbours.
    constexpr std::size_t kRows = 512;
    const std::size_t step = (rows.size() + kRows - 1) / kRows;
    std::vector<double> tail;
    for (std::size_t r = step / 2; r < rows.size(); r += step) {
      const std::uint32_t i = rows[r];
      votes.tails(f, i, tail);
      constexpr std::size_t kTails = 32;
      const std::size_t used = std::min(tail.size(), kTails);
      double sum = 0;
      for (std::size_t k = 0; k < used; ++k) {
        const double chance = tail[(2 * k + 1) * tail.size() / (2 * used)];
        sum += chance;
        threshold_.push_back(detail::table_normal_quantile(std::min(chance, 1 - 0x1p-53)));
      }
      row_.push_back(
          {static_cast<std::uint32_t>(threshold_.size()), sum,
           static_cast<double>(tail.size()) / static_cast<double>(std::max<std::size_t>(used, 1))});
    }
    scale_ = row_.empty() ? 1 : static_cast<double>(rows.size()) / static_cast<double>(row_.size());
  }

  /// Squared sum of residuals, less what its own items' squares miss of their expectation.
  [[nodiscard]] double observed() const { return variance_ + pairs_; }
  /// The same in expectation: given the group's number items are independent.
  [[nodiscard]] double expected(const Nodes& nodes) const {
    double out = 0;
    for (std::size_t k = 0; k < nodes.x.size() && nodes.from_group > 0; ++k) {
      const double shift = nodes.from_group * nodes.x[k], scale = 1 / nodes.from_item;
      double sum = 0, squared = 0;
      std::uint32_t at = 0;
      for (const Row& row : row_) {
        double hits = 0;
        for (; at < row.end; ++at) hits += detail::table_normal_cdf((threshold_[at] - shift) * scale);
        const double m = (hits - row.mean) * row.weight;
        sum += m;
        squared += m * m;
      }
      out += nodes.w[k] * (scale_ * scale_ * sum * sum - scale_ * squared);
    }
    return variance_ + out;
  }

 private:
  struct Row {
    std::uint32_t end;    // of its thresholds
    double mean, weight;  // sum of their chances; votes for which one of them stands
  };
  std::vector<double> threshold_;  // normal quantiles of P(hits >= 1), P(hits >= 2), ... by row
  std::vector<Row> row_;
  double variance_ = 0, pairs_ = 0, scale_ = 1;
};

/// Sums over groups.
struct Moments {
  ExactSum observed;
  std::array<ExactSum, kRho.size()> expected, squared;
  void merge(const Moments& other) {
    observed.merge(other.observed);
    for (std::size_t k = 0; k < kRho.size(); ++k) {
      expected[k].merge(other.expected[k]);
      squared[k].merge(other.squared[k]);
    }
  }
};

}  // namespace

double GroupModel::at(double of_squares) const {
  if (expected.empty() || !(of_squares > expected.front())) return 0;
  for (std::size_t k = 1; k < expected.size(); ++k)
    if (of_squares < expected[k])
      return kRho[k - 1] + (kRho[k] - kRho[k - 1]) * std::max(of_squares - expected[k - 1], 0.0) /
                               (expected[k] - expected[k - 1]);
  return expected.back() > expected.front() ? kRho.back() : 0;
}

double GroupModel::draw(std::uint64_t seed, std::uint32_t replicate) const {
  const double chi_square = 2 * RandomStream(seed, Purpose::kNullModel, replicate).gamma(0.5 * freedom);
  return at(squares * freedom / std::max(chi_square, 1e-9));
}

GroupModel fit_groups(const ForecastsView& f, const VoteCounts& votes, std::span<const std::uint32_t> group,
                      std::int64_t groups, int threads) {
  std::vector<std::vector<std::uint32_t>> rows(groups);
  for (std::size_t i = 0; i < f.size(); ++i)
    if (f.trials_of(i) > 0 && (f.weight.empty() || f.weight[i] > 0))
      rows[group[i]].push_back(static_cast<std::uint32_t>(i));
  std::vector<Nodes> nodes;
  for (const double rho : kRho) nodes.push_back(nodes_of(rho));
  const auto add_group = [&](Moments& sums, std::int64_t g) {
    if (rows[g].empty()) return;
    const GroupRows one(f, votes, std::move(rows[g]));
    sums.observed.add(one.observed());
    for (std::size_t k = 0; k < kRho.size(); ++k) {
      const double expected = one.expected(nodes[k]);
      sums.expected[k].add(expected);
      sums.squared[k].add(expected * expected);
    }
  };
  const Moments m = parallel_reduce_blocks(
      groups, 16, threads, Moments{},
      [&](Moments& sums, std::int64_t begin, std::int64_t end) {
        for (std::int64_t g = begin; g < end; ++g) add_group(sums, g);
      },
      [](Moments& into, const Moments& from) { into.merge(from); });
  GroupModel out;
  out.squares = std::max(m.observed.value(), 0.0);
  for (const ExactSum& e : m.expected) out.expected.push_back(e.value());
  out.rho = out.at(out.squares);
  // Satterthwaite's approximation, at the nearest rho of the grid.
  const auto near = std::lower_bound(kRho.begin(), kRho.end(), out.rho) - kRho.begin();
  const double sum = out.expected[near], squared = m.squared[near].value();
  out.freedom = squared > 0 ? std::max(sum * sum / squared, 1.0) : 1.0;
  return out;
}

}  // namespace plumb
