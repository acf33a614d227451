#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/calibrate_regression/apply.hpp"

namespace plumb::test {
namespace {

constexpr double kNaive = 1e-12;  // rounding of naive sums of a thousand terms

TEST(Sigma, GoldenByHand) {
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, -4, 0}, {3}, "e"));
  items.total = Rows(array_of(std::vector<double>{1, 4, 0.25}, {3}, "v"));
  EXPECT_DOUBLE_EQ(scalar_parameter(fit_regression_calibrator("sigma", items, {}), "s"), std::sqrt(5.0 / 3));
  // Laplace, eq. 25 with b = sigma / sqrt(2): mean of |e| / b = sqrt(2) (1 + 2 + 0) / 3.
  EXPECT_DOUBLE_EQ(scalar_parameter(fit_regression_calibrator("sigma-laplace", items, {}), "s"),
                   std::sqrt(2.0));
}

TEST(Sigma, IsTheMinimumOfTheLikelihood) {
  const SimulatedRegression s = simulate({.n = 1000, .outputs = 2, .factor = 1.6});
  const Step step = fit_regression_calibrator("sigma", s.items(), {});
  const double best = gaussian_nll(s, calibrated(step, s));
  EXPECT_NEAR(step.fit.objective, best, kNaive);
  for (const double nudge : {0.99, 1.01}) {
    Step other = step;
    other.parameters[0].values[0] *= nudge;
    EXPECT_GT(gaussian_nll(s, calibrated(other, s)), best);
  }
}

TEST(Sigma, PerOutputAndWeights) {
  const SimulatedRegression s = simulate({.n = 800, .outputs = 3, .weights = true});
  const Step step = fit_regression_calibrator("sigma", s.items(), {.per_output = true});
  const auto scale = vector_parameter(step, "s");
  ASSERT_EQ(scale.size(), 3u);
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0, w = 0;
    for (std::size_t i = 0; i < 800; ++i) {
      const double e = s.target[3 * i + j] - s.mean[3 * i + j];
      sum += s.weight[i] * e * e / s.variance[3 * i + j];
      w += s.weight[i];
    }
    EXPECT_NEAR(scale[j], std::sqrt(sum / w), kNaive);
  }
  EXPECT_NEAR(calibrated(step, s)[4], scale[1] * scale[1] * s.variance[4], 1e-15);
  EXPECT_THROW((void)make_variance_map(step, 2), InputError);
}

TEST(Sigma, AleatoricAloneUsesThatPart) {
  const SimulatedRegression s = simulate({.n = 500, .parts = true});
  const Step step = fit_regression_calibrator("sigma-aleatoric", s.items(), {});
  double sum = 0;
  for (std::size_t i = 0; i < 500; ++i) sum += std::pow(s.target[i] - s.mean[i], 2) / s.aleatoric[i] / 500;
  EXPECT_NEAR(scalar_parameter(step, "s"), std::sqrt(sum), kNaive);
  EXPECT_NEAR(calibrated(step, s)[9], sum * s.aleatoric[9], 1e-12);
  SimulatedRegression total = s;
  total.aleatoric.clear();
  EXPECT_THROW((void)fit_regression_calibrator("sigma-aleatoric", total.items(), {}), InputError);
}

TEST(Sigma, SameBitsForThreadsAndRowOrder) {
  const SimulatedRegression s = simulate({.n = 9000, .outputs = 2});
  const double one = scalar_parameter(fit_regression_calibrator("sigma", s.items(), {.threads = 1}), "s");
  EXPECT_EQ(one, scalar_parameter(fit_regression_calibrator("sigma", s.items(), {.threads = 7}), "s"));
  EXPECT_EQ(one,
            scalar_parameter(fit_regression_calibrator("sigma", s.take(shuffled(9000, 2)).items(), {}), "s"));
}

TEST(Sigma, ZeroVarianceIsRefusedOrClipped) {
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, 2}, {2}, "e.npy"));
  items.total = Rows(array_of(std::vector<double>{1, 0}, {2}, "v.npy"));
  try {
    (void)fit_regression_calibrator("sigma", items, {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("v.npy, row 1"), std::string::npos) << e.what();
  }
  EXPECT_DOUBLE_EQ(scalar_parameter(fit_regression_calibrator("sigma", items, {.clip = 1}), "s"),
                   std::sqrt(2.5));
}

TEST(Sigma, LaplaceIntervalsAreLaplace) {
  // Half-width -b log(1 - level), b = sqrt(variance / 2).
  Step step;
  step.method = "sigma-laplace";
  step.add_parameter("s", 2.0);
  RegressionBlock b;
  b.size = 1;
  b.variance = {8};
  std::vector<double> low(1), high(1);
  make_variance_map(step, 1)->offsets(b, 0.9, low, high);
  EXPECT_NEAR(high[0], -std::log(0.1) * 4.0, 1e-14);
  EXPECT_EQ(low[0], -high[0]);
}

}  // namespace
}  // namespace plumb::test
