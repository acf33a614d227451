#include "plumb/metrics/kernel/skce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/numeric/random.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

using reference::Real;

constexpr double kRecursion = 1e-12;  // that of mmce, and a difference of two sums of its size

struct Column {
  std::vector<double> p, hits, trials, weight;
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, weight, {}, true}; }
};

Column make_column(std::size_t n, std::uint64_t seed) {
  Column c;
  RandomStream r(seed, Purpose::demo);
  for (std::size_t i = 0; i < n; ++i) c.p.push_back(r.below(3) == 0 ? 0.25 : r.uniform());
  std::sort(c.p.begin(), c.p.end());
  for (std::size_t i = 0; i < n; ++i) {
    c.trials.push_back(static_cast<double>(r.below(4)));
    c.hits.push_back(std::floor(r.uniform() * (c.trials[i] + 1)));
    c.weight.push_back(r.uniform());
  }
  return c;
}

/// Reference: all pairs of different items.
double naive(const Column& c) {
  Real top = 0, bottom = 0;
  for (std::size_t i = 0; i < c.p.size(); ++i)
    for (std::size_t j = 0; j < c.p.size(); ++j) {
      if (i == j) continue;
      const auto residual = [&](std::size_t k) -> Real {
        return c.weight[k] * (c.hits[k] - c.trials[k] * static_cast<Real>(c.p[k]));
      };
      top += residual(i) * residual(j) * std::exp(-std::abs(static_cast<Real>(c.p[i]) - c.p[j]) / 0.4L);
      bottom += static_cast<Real>(c.weight[i]) * c.trials[i] * c.weight[j] * c.trials[j];
    }
  return static_cast<double>(top / bottom);
}

TEST(Skce, IsTheMeanOverPairsOfItems) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Column c = make_column(120, seed);
    EXPECT_NEAR(*skce(c.view()).value, naive(c), kRecursion) << "seed " << seed;
  }
}

// Residuals 0.8 and -0.6, one pair, kernel exp(-1).
TEST(Skce, GoldenOfTwoItems) {
  const std::vector<double> p{0.2, 0.6}, y{1, 0};
  EXPECT_NEAR(*skce({p, y, {}, {}, {}, true}).value, -0.48 * std::exp(-1.0), 1e-15);
}

// Mean over calibrated sets is 0, where that of mmce squared is not: 3,000 sets of 30, four standard errors.
TEST(Skce, IsUnbiased) {
  RandomStream r(7, Purpose::demo);
  double sum = 0, squares = 0, biased = 0;
  constexpr int kSets = 3000;
  for (int s = 0; s < kSets; ++s) {
    std::vector<double> p(30), y(30);
    for (double& x : p) x = r.uniform();
    std::sort(p.begin(), p.end());
    for (std::size_t i = 0; i < p.size(); ++i) y[i] = r.uniform() < p[i] ? 1 : 0;
    const ForecastsView f{p, y, {}, {}, {}, true};
    const double x = *skce(f).value, m = *mmce(f).value;
    sum += x, squares += x * x, biased += m * m;
  }
  const double mean = sum / kSets, error = std::sqrt(squares / kSets / kSets);
  EXPECT_LT(std::abs(mean), 4 * error);
  EXPECT_GT(biased / kSets, 20 * error);
}

TEST(Skce, RowsOfSingleVotesAreTheItems) {
  // The votes of a row are those of as many items.
  const std::vector<double> p{0.1, 0.4, 0.4, 0.4, 0.9}, y{0, 1, 0, 1, 1};
  const std::vector<double> distinct{0.1, 0.4, 0.9}, hits{0, 2, 1}, votes{1, 3, 1};
  EXPECT_NEAR(*skce({p, y, {}, {}, {}, true}).value,
              *skce({distinct, hits, votes, {}, {}, true}, SkceRows::votes).value, 1e-15);
}

TEST(Skce, TiesInAnyOrderGiveTheSameBits) {
  const Column c = make_column(2000, 9);
  std::vector<std::size_t> order = reference::shuffled(2000, 4);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return c.p[a] < c.p[b]; });
  const Column d{reference::gathered(c.p, order), reference::gathered(c.hits, order),
                 reference::gathered(c.trials, order), reference::gathered(c.weight, order)};
  EXPECT_EQ(*skce(c.view()).value, *skce(d.view()).value);
}

TEST(Skce, Edges) {
  EXPECT_FALSE(skce(ForecastsView{}));
  const std::vector<double> p{0.5, 0.5}, y{2, 0}, n{3, 0};
  const Estimate one = skce({p, y, n, {}, {}, true});
  EXPECT_FALSE(one);
  EXPECT_EQ(one.why, "it compares items, and only one has votes");
  const std::vector<double> ends{0, 1}, right{0, 1}, wrong{1, 0};
  EXPECT_EQ(*skce({ends, right, {}, {}, {}, true}).value, 0);
  EXPECT_NEAR(*skce({ends, wrong, {}, {}, {}, true}).value, -std::exp(-2.5), 1e-15);
}

}  // namespace
}  // namespace plumb
