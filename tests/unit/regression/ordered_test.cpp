#include "plumb/regression/ordered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/regression/sums.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

constexpr double kNaive = 1e-12;  // rounding of the naive sums

OrderedRegression ordered(const SimulatedRegression& s) { return order_regression(s.items(), 0, 2); }

TEST(Ence, AgreesWithNaiveEqualMassBins) {
  const SimulatedRegression s = simulate({.n = 3000, .factor = 1.7});
  const OrderedRegression c = ordered(s);
  std::vector<std::size_t> rows(3000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  std::sort(rows.begin(), rows.end(),
            [&](std::size_t a, std::size_t b) { return s.variance[a] < s.variance[b]; });
  double sum = 0;
  for (std::size_t b = 0; b < 15; ++b) {
    double v = 0, e = 0;
    for (std::size_t i = b * 200; i < (b + 1) * 200; ++i) {
      v += s.variance[rows[i]];
      e += std::pow(s.target[rows[i]] - s.mean[rows[i]], 2);
    }
    sum += std::abs(std::sqrt(v) - std::sqrt(e)) / std::sqrt(v) / 15;
  }
  EXPECT_NEAR(*ence(c, {c.weight, {}}, 15).value, sum, kNaive);
}

TEST(Ence, TiesStayTogether) {
  SimulatedRegression s = simulate({.n = 300});
  for (double& v : s.variance) v = 1.0;
  const OrderedRegression c = ordered(s);
  double e = 0;
  for (std::size_t i = 0; i < 300; ++i) e += std::pow(s.target[i] - s.mean[i], 2) / 300;
  EXPECT_NEAR(*ence(c, {{}, {}}, 15).value, std::abs(1 - std::sqrt(e)), kNaive);  // one bin
}

TEST(PitDistance, GoldenWithOnePoint) {
  // z = 0: F jumps from 0 to 1 at 1/2, so the sup is 1/2 and the area 1/4.
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{0, 0}, {2}, "e"));
  items.total = Rows(array_of(std::vector<double>{1, 2}, {2}, "v"));
  const OrderedRegression c = order_regression(items, 0, 1);
  const PitDistance d = pit_distance(c, {{}, {}});
  EXPECT_DOUBLE_EQ(*d.ks.value, 0.5);
  EXPECT_DOUBLE_EQ(*d.area.value, 0.25);
}

TEST(PitDistance, AgreesWithAFineGrid) {
  const SimulatedRegression s = simulate({.n = 400, .factor = 1.5, .bias = 0.3});
  const OrderedRegression c = ordered(s);
  const PitDistance d = pit_distance(c, {{}, {}});
  double ks = 0, area = 0;
  const int grid = 200000;
  std::size_t below = 0;
  for (int k = 0; k < grid; ++k) {
    const double t = (k + 0.5) / grid;
    while (below < c.pit.size() && c.pit[below] <= t) ++below;
    const double gap = std::abs(static_cast<double>(below) / 400 - t);
    ks = std::max(ks, gap);
    area += gap / grid;
  }
  EXPECT_NEAR(*d.ks.value, ks, 2.0 / grid);
  EXPECT_NEAR(*d.area.value, area, 2.0 / grid);
}

TEST(CentralCoverage, IsTheStreamingOne) {
  const SimulatedRegression s = simulate({.n = 2000, .outputs = 2, .factor = 1.3, .weights = true});
  const OrderedRegression c = ordered(s);
  Scores scores = sum_scores(regression_sums(s.items(), {}, 1).total());
  const auto got = central_coverage(c, kCoverageLevels);
  EXPECT_NEAR(got[0], *scores["coverage_50"].value, kNaive);
  EXPECT_NEAR(got[1], *scores["coverage_90"].value, kNaive);
  EXPECT_NEAR(got[3], *scores["coverage_99"].value, kNaive);
}

TEST(Rejection, AgreesWithNaiveThresholds) {
  const SimulatedRegression s = simulate({.n = 1000, .outputs = 2});
  const OrderedRegression c = ordered(s);
  const auto rows = rejection(c, 20);
  ASSERT_EQ(rows.size(), 20u);
  EXPECT_EQ(rows[0].rejected, 0);
  EXPECT_EQ(rows[0].kept, 1000);
  for (const RejectionRow& r : rows) {
    double mse = 0;
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      if ((s.variance[2 * i] + s.variance[2 * i + 1]) / 2 > r.threshold) continue;
      ++kept;
      for (std::size_t j = 0; j < 2; ++j) mse += std::pow(s.target[2 * i + j] - s.mean[2 * i + j], 2) / 2;
    }
    EXPECT_EQ(r.kept, kept);
    EXPECT_NEAR(r.mse, mse / static_cast<double>(kept), kNaive);
    EXPECT_NEAR(r.rejected, 1 - static_cast<double>(kept) / 1000, kNaive);
  }
  EXPECT_LT(rows[10].mse, 0.5 * rows[0].mse);  // a predictor that knows its spread
}

TEST(Ordered, NoValueDependsOnRowOrderOrTies) {
  SimulatedRegression s = simulate({.n = 900, .outputs = 2, .weights = true});
  for (double& v : s.variance) v = std::round(v * 20) / 20 + 0.05;
  const OrderedRegression a = ordered(s), b = ordered(s.take(shuffled(900, 3)));
  EXPECT_EQ(ence(a, {a.weight, {}}, 15).value, ence(b, {b.weight, {}}, 15).value);
  const PitDistance x = pit_distance(a, {a.weight, {}}), y = pit_distance(b, {b.weight, {}});
  EXPECT_EQ(x.ks.value, y.ks.value);
  EXPECT_EQ(x.area.value, y.area.value);
  const auto p = rejection(a), q = rejection(b);
  ASSERT_EQ(p.size(), q.size());
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i].mse, q[i].mse);
}

TEST(Ordered, ZeroVarianceHasNoPit) {
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, 2}, {2}, "e"));
  items.total = Rows(array_of(std::vector<double>{0, 1}, {2}, "v"));
  const OrderedRegression c = order_regression(items, 0, 1);
  EXPECT_FALSE(pit_distance(c, {{}, {}}).ks.value);
  EXPECT_FALSE(ence(c, {{}, {}}, 2).value);
  EXPECT_TRUE(order_regression(items, 0.5, 1).degenerate == 0);
}

}  // namespace
}  // namespace plumb::test
