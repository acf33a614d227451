#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/calibrate_regression/apply.hpp"

namespace plumb::test {
namespace {

TEST(IsotonicQuantile, ABiasIsMovedTheRightWay) {
  // Targets lie 0.8 standard deviations above the mean. With the sign reversed the interval would move down.
  const SimulatedRegression fit = simulate({.n = 4000, .bias = 0.8, .seed = 1}),
                            test = simulate({.n = 4000, .bias = 0.8, .seed = 2});
  const Step step = fit_regression_calibrator("isotonic-quantile", fit.items(), {});
  EXPECT_NEAR(scalar_parameter(step, "z_mean"), 0.8, 0.07);
  EXPECT_NEAR(scalar_parameter(step, "z_variance"), 1.0, 0.1);
  for (const double level : {0.5, 0.8, 0.9, 0.95})
    EXPECT_NEAR(coverage(step, test, level), level, 4 * std::sqrt(2 * level * (1 - level) / 4000)) << level;
  Step none;
  none.method = "sigma";
  none.add_parameter("s", 1.0);
  EXPECT_LT(coverage(none, test, 0.5), 0.42);  // what the bias costs before
}

TEST(IsotonicQuantile, QuantilesAreThoseOfTheScores) {
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, 2, 3, 4, 6, 8, 10, 12, 14}, {9}, "e"));
  items.total =
      Rows(array_of(std::vector<double>{1, 1, 1, 1, 4, 4, 4, 4, 4}, {9}, "v"));  // z: 1 2 3 4 3 4 5 6 7
  const Step step = fit_regression_calibrator("isotonic-quantile", items, {});
  const auto map = make_variance_map(step, 1);
  RegressionBlock b;
  b.size = 1;
  b.variance = {4};
  std::vector<double> low(1), high(1);
  map->offsets(b, 0.8, low, high);  // levels 0.1 and 0.9: first and last of nine
  EXPECT_NEAR(low[0], 2 * 1, 1e-12);
  EXPECT_NEAR(high[0], 2 * 7, 1e-12);
  map->offsets(b, 0.99, low, high);  // beyond them: the outermost
  EXPECT_NEAR(high[0], 14, 1e-12);
  EXPECT_THROW(map->offsets(b, 1.0, low, high), InputError);
}

TEST(IsotonicQuantile, HeavyTails) {
  const SimulatedRegression fit = simulate({.n = 8000, .laplace = true, .seed = 5}),
                            test = simulate({.n = 8000, .laplace = true, .seed = 6});
  const Step step = fit_regression_calibrator("isotonic-quantile", fit.items(), {});
  EXPECT_NEAR(coverage(step, test, 0.5), 0.5, 0.03);
  EXPECT_NEAR(coverage(step, test, 0.99), 0.99, 0.007);
}

TEST(IsotonicQuantile, RowOrderDoesNotMatter) {
  const SimulatedRegression s = simulate({.n = 3000, .weights = true});
  EXPECT_EQ(fit_regression_calibrator("isotonic-quantile", s.items(), {}).parameters,
            fit_regression_calibrator("isotonic-quantile", s.take(shuffled(3000, 4)).items(), {}).parameters);
}

}  // namespace
}  // namespace plumb::test
