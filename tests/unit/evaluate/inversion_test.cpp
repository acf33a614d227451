#include "evaluate/inversion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/numeric/random.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {
namespace {

BinNoise simulated(double gap, int bins, int draws, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo);
  BinNoise c;
  for (int b = 0; b < bins; ++b) {
    c.weight.push_back(1.0 / bins);
    c.mean_p.push_back((b + 0.5) / bins);
    c.gap.push_back((b % 2 == 0 ? gap : -gap) + 0.02 * rng.normal());
  }
  for (int i = 0; i < bins * draws; ++i) c.noise.push_back(0.02 * rng.normal());
  return c;
}

/// T of every draw when each bin is moved by t in the direction of its gap, ascending.
std::vector<double> naive(const BinNoise& c, double t) {
  std::vector<double> out;
  for (std::int64_t d = 0; d < c.draws(); ++d) {
    double sum = 0;
    for (std::int64_t b = 0; b < c.count(); ++b)
      sum += c.weight[b] * std::abs(c.noise[d * c.count() + b] + (c.gap[b] < 0 ? -t : t));
    out.push_back(sum);
  }
  std::sort(out.begin(), out.end());
  return out;
}

double observed(const BinNoise& c) {
  double sum = 0;
  for (std::int64_t b = 0; b < c.count(); ++b) sum += c.weight[b] * std::abs(c.gap[b]);
  return sum;
}

constexpr double kGrid = 0.002;  // what straight lines between 24 points of a curve may miss

TEST(Inversion, MedianAndUpperBoundAgainstAScan) {
  const BinNoise c = simulated(0.05, 15, 199, 3);
  const Inverted got = invert(c, PlugIn::absolute, 0.95);
  double median = 0, high = 0;  // the first t of a fine grid at which the quantile reaches the observed value
  while (naive(c, median)[99] < observed(c)) median += 1e-4;
  while (naive(c, high)[4] < observed(c)) high += 1e-4;  // rank 0.025 * 200
  EXPECT_NEAR(got.median, median, kGrid);
  EXPECT_NEAR(got.high, high, kGrid);
  EXPECT_LE(got.low, got.median);
  EXPECT_LE(got.median, got.high);
  EXPECT_GT(got.low, 0.02);
}

TEST(Inversion, NothingStandsOutOfNoise) {
  const BinNoise c = simulated(0, 15, 199, 4);
  const Inverted got = invert(c, PlugIn::absolute, 0.95);
  EXPECT_EQ(got.low, 0);
  EXPECT_GT(got.high, 0.002);
  EXPECT_LT(got.high, 0.03);
  EXPECT_EQ(invert(c, PlugIn::square, 0.95).low, 0);
  EXPECT_EQ(invert(c, PlugIn::divergence, 0.95).low, 0);
}

TEST(Inversion, OneBinIsAShiftedNormal) {  // |gap| far from 0: low and high are gap -+ z sd
  BinNoise c = simulated(0.2, 1, 4000, 5);
  const Inverted got = invert(c, PlugIn::absolute, 0.95);
  const double gap = std::abs(c.gap[0]);
  EXPECT_NEAR(got.low, gap - 1.96 * 0.02, 0.003);
  EXPECT_NEAR(got.high, gap + 1.96 * 0.02, 0.003);
  const Inverted squared = invert(c, PlugIn::square, 0.95);
  EXPECT_NEAR(std::sqrt(squared.low), got.low, 0.003);
  EXPECT_NEAR(std::sqrt(squared.high), got.high, 0.003);
}

TEST(Inversion, ClsBoundAgainstAScan) {
  for (const double gap : {0.0, 0.03}) {
    const BinNoise c = simulated(gap, 15, 199, 6);
    const auto count = [&](double t) {
      const auto v = naive(c, t);
      return 1.0 + static_cast<double>(std::upper_bound(v.begin(), v.end(), observed(c)) - v.begin());
    };
    double t = 0;
    while (count(t) / count(0) > 0.05) t += 1e-4;
    EXPECT_NEAR(cls_bound(c, 0.95), t, 2e-4);
    EXPECT_GE(cls_bound(c, 0.95), invert(c, PlugIn::absolute, 0.95).median);
  }
}

TEST(Inversion, TooFewDrawsProveNothing) {  // 1 / (1 + draws) is above 0.05
  EXPECT_EQ(cls_bound(simulated(0, 15, 10, 7), 0.95), 1);
}

TEST(Inversion, MoreDrawsKeepEachBinsNoise) {
  const BinNoise few = simulated(0, 3, 20, 8), many = with_more_draws(few, 100);
  EXPECT_EQ(many.draws(), 100);
  for (int b = 0; b < 3; ++b) {
    std::vector<double> x, y;
    for (int d = 0; d < 20; ++d) x.push_back(few.noise[d * 3 + b]);
    for (int d = 40; d < 60; ++d) y.push_back(many.noise[d * 3 + b]);  // one round
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    EXPECT_EQ(x, y);
  }
}

TEST(Inversion, NormalDrawsHaveTheCovarianceOfTheDraws) {
  constexpr int kBins = 3, kHave = 200, kDraws = 20000;
  BinNoise few = simulated(0, kBins, kHave, 9);
  for (int d = 0; d < kHave; ++d) few.noise[d * kBins + 2] += 0.5 * few.noise[d * kBins];  // dependent
  const BinNoise many = normal_draws(few, kDraws);
  ASSERT_EQ(many.draws(), kDraws);
  const auto product = [](const BinNoise& c, int a, int b) {
    double sum = 0;
    for (int d = 0; d < c.draws(); ++d) sum += c.noise[d * kBins + a] * c.noise[d * kBins + b];
    return sum / static_cast<double>(c.draws());
  };
  for (int a = 0; a < kBins; ++a)
    for (int b = 0; b <= a; ++b)  // to a few Monte-Carlo standard errors, 1/sqrt(20000) of the variances
      EXPECT_NEAR(product(many, a, b), product(few, a, b),
                  0.04 * std::sqrt(product(few, a, a) * product(few, b, b)));
}

TEST(Inversion, ALuckySmallValueDoesNotProveAnErrorOfZero) {
  BinNoise c = simulated(0, 15, 999, 10);
  for (double& g : c.gap) g = 0;  // smaller than any draw
  const Inverted got = invert(c, PlugIn::absolute, 0.95);
  EXPECT_EQ(got.low, 0);
  EXPECT_EQ(got.median, 0);
  EXPECT_GT(got.high, 0.001);
}

TEST(Inversion, LuckProvesNoMoreThanItsEdge) {  // a value below the edge is taken for the edge
  BinNoise c = simulated(0, 15, 999, 11);
  const double edge = lucky_value(c);
  const std::vector<double> drawn = naive(c, 0);
  EXPECT_NEAR(static_cast<double>(std::upper_bound(drawn.begin(), drawn.end(), edge) - drawn.begin()), 30, 1);
  BinNoise at_edge = c, below = c;
  for (double& g : at_edge.gap) g *= edge / observed(c);
  for (double& g : below.gap) g *= 0.9 * edge / observed(c);
  EXPECT_NEAR(cls_bound(below, 0.95, edge), cls_bound(at_edge, 0.95), 1e-6);
  EXPECT_EQ(cls_bound(c, 0.95, std::min(edge, observed(c))), cls_bound(c, 0.95));
}

TEST(Inversion, FoldedNormalIsAsWideAsItsClearGapsSay) {
  const std::vector<double> some = {0.01, 0.012, 0.014};
  const Inverted narrow = invert_folded(0.2, some, 0.95), wide = invert_folded(0.2, some, 0.95, 0.02);
  EXPECT_NEAR(wide.low, 0.2 - 1.96 * 0.02, 1e-4);  // far out it is normal
  EXPECT_NEAR(wide.high, 0.2 + 1.96 * 0.02, 1e-4);
  EXPECT_NEAR(wide.median, narrow.median, 1e-9);
  EXPECT_EQ(invert_folded(0.2, some, 0.95, 1e-6).high, narrow.high);
  EXPECT_NEAR(invert_folded(0.013, some, 0.95, 0.02).low, 0, 1e-12);  // at 0 as the draws
}

TEST(Inversion, FoldedNormalOfALuckyValueIsThatOfItsEdge) {
  const std::vector<double> some = {0.02, 0.03, 0.035, 0.04, 0.055};
  for (const double level : {0.8, 0.9, 0.95, 0.99}) {
    const Inverted b = invert_folded(0.001, some, level);
    EXPECT_EQ(b.low, 0) << level;
    EXPECT_EQ(b.median, 0) << level;
    EXPECT_GT(b.high, 0.001) << level;
    EXPECT_EQ(invert_folded(0.002, some, level).high, b.high) << level;
    EXPECT_GT(invert_folded(0.04, some, level).high, b.high) << level;
  }
}

TEST(Inversion, LuckProvesNothingAtAnyLevel) {
  BinNoise c = simulated(0, 15, 999, 10);
  for (double& g : c.gap) g = 0;
  for (const double level : {0.8, 0.9, 0.99})
    EXPECT_GT(invert(c, PlugIn::absolute, level).high, 0.001) << level;
}

TEST(Inversion, ClearSpreadIsThatOfTheSignedSum) {
  const BinNoise c = simulated(0.1, 4, 500, 12);
  std::vector<double> sums;
  for (int d = 0; d < 500; ++d) {
    double sum = 0;
    for (int b = 0; b < 4; ++b) sum += c.weight[b] * (c.gap[b] < 0 ? -1 : 1) * c.noise[d * 4 + b];
    sums.push_back(sum);
  }
  EXPECT_NEAR(clear_spread(c), standard_deviation(sums), 1e-15);
}

TEST(Inversion, PoissonBoundNearTheExactOne) {
  EXPECT_NEAR(poisson_upper(0, 0.95), 2.996, 0.05);
  EXPECT_NEAR(poisson_upper(3, 0.95), 7.754, 0.02);
  EXPECT_NEAR(poisson_upper(100, 0.975), 121.63, 0.05);
}

TEST(Inversion, FoldedNormalWithoutNoiseIsTheValue) {
  const std::vector<double> null = {0, 0, 0};
  EXPECT_EQ(invert_folded(0.3, null, 0.95).low, 0.3);
  const std::vector<double> some = {0.01, 0.012, 0.014};
  const Inverted b = invert_folded(0.2, some, 0.95);  // far out: a normal distribution around t
  EXPECT_NEAR(b.median, 0.2, 1e-6);
  EXPECT_LT(b.low, 0.2);
  EXPECT_NEAR(b.low + b.high, 0.4, 1e-6);
  EXPECT_EQ(invert_folded(0.01, some, 0.95).low, 0);
}

}  // namespace
}  // namespace plumb::detail
