#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/calibrate_regression/apply.hpp"

namespace plumb::test {
namespace {

TEST(Conformal, TheRankOfTheFiniteSampleRule) {
  // n = 9, level 0.9: ceil(10 * 0.9) = 9, the largest score. Level 0.91 asks for a tenth.
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, -2, 3, -4, 5, -6, 7, -8, 9}, {9}, "e"));
  items.total = Rows(array_of(std::vector<double>(9, 4.0), {9}, "v"));
  const Step step = fit_regression_calibrator("conformal", items, {});
  const auto map = make_variance_map(step, 1);
  EXPECT_FALSE(map->has_variance());
  RegressionBlock b;
  b.size = 1;
  b.variance = {16};
  std::vector<double> low(1), high(1);
  map->offsets(b, 0.9, low, high);
  EXPECT_DOUBLE_EQ(high[0], 18);  // score 9 / 2 times sigma 4
  EXPECT_DOUBLE_EQ(low[0], -18);
  map->offsets(b, 0.5, low, high);
  EXPECT_DOUBLE_EQ(high[0], 10);
  EXPECT_THROW(map->offsets(b, 0.91, low, high), InputError);
  EXPECT_THROW(map->variance(b, low), InputError);
  const Step flat = fit_regression_calibrator("conformal", items, {.score = ConformalScore::absolute});
  make_variance_map(flat, 1)->offsets(b, 0.9, low, high);
  EXPECT_DOUBLE_EQ(high[0], 9);
}

TEST(Conformal, OneSidedFollowsABias) {
  const SimulatedRegression fit = simulate({.n = 4000, .bias = 1.0, .seed = 3}),
                            test = simulate({.n = 4000, .bias = 1.0, .seed = 4});
  const Step both = fit_regression_calibrator("conformal", fit.items(), {}),
             ends = fit_regression_calibrator("conformal", fit.items(), {.score = ConformalScore::one_sided});
  for (const double level : {0.5, 0.9, 0.95}) {
    EXPECT_NEAR(coverage(both, test, level), level, 0.035) << level;
    EXPECT_NEAR(coverage(ends, test, level), level, 0.035) << level;
  }
  RegressionBlock b;
  b.size = 1;
  b.variance = {1};
  std::vector<double> low(1), high(1);
  make_variance_map(ends, 1)->offsets(b, 0.9, low, high);
  EXPECT_NEAR(0.5 * (low[0] + high[0]), 1.0, 0.1);
  const double width = high[0] - low[0];
  make_variance_map(both, 1)->offsets(b, 0.9, low, high);
  EXPECT_LT(width, high[0] - low[0]);
}

TEST(Conformal, ExtraLevelsAndWeights) {
  SimulatedRegression s = simulate({.n = 3000});
  const Step step = fit_regression_calibrator("conformal", s.items(), {.levels = {0.123}});
  RegressionBlock b;
  b.size = 1;
  b.variance = {1};
  std::vector<double> low(1), high(1);
  EXPECT_NO_THROW(make_variance_map(step, 1)->offsets(b, 0.123, low, high));
  s.weight.assign(3000, 1.0);
  EXPECT_THROW((void)fit_regression_calibrator("conformal", s.items(), {}), InputError);
}

}  // namespace
}  // namespace plumb::test
