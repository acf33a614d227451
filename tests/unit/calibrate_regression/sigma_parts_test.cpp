#include <gtest/gtest.h>

#include <cmath>

#include "unit/calibrate_regression/apply.hpp"

namespace plumb::test {
namespace {

/// Targets of variance a * aleatoric + b * epistemic.
SimulatedRegression planted(std::int64_t n, double a, double b, std::uint64_t seed) {
  SimulatedRegression s = simulate({.n = n, .parts = true, .seed = seed});
  RandomStream rng(seed, Purpose::demo, 5);
  for (std::size_t k = 0; k < s.mean.size(); ++k)
    s.target[k] = s.mean[k] + std::sqrt(a * s.aleatoric[k] + b * s.epistemic[k]) * rng.normal();
  return s;
}

TEST(SigmaParts, NoNeighbourIsBetter) {
  const SimulatedRegression s = planted(3000, 2.0, 0.5, 3);
  const Step step = fit_regression_calibrator("sigma-parts", s.items(), {});
  EXPECT_TRUE(step.fit.converged);
  EXPECT_LE(step.fit.gradient_norm, 1e-6);
  const double best = gaussian_nll(s, calibrated(step, s));
  EXPECT_NEAR(step.fit.objective, best, 1e-10);
  for (const std::size_t which : {0u, 1u})
    for (const double nudge : {0.98, 1.02}) {
      Step other = step;
      other.parameters[which].values[0] *= nudge;
      EXPECT_GT(gaussian_nll(s, calibrated(other, s)), best) << which << " " << nudge;
    }
}

TEST(SigmaParts, AtLeastAsGoodAsOneFactor) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const SimulatedRegression s = planted(400, 1.0, 3.0, seed);
    const double parts = fit_regression_calibrator("sigma-parts", s.items(), {}).fit.objective;
    EXPECT_LE(parts, fit_regression_calibrator("sigma", s.items(), {}).fit.objective + 1e-12);
    EXPECT_LE(parts, fit_regression_calibrator("sigma-aleatoric", s.items(), {}).fit.objective + 2e-9);
  }
}

TEST(SigmaParts, APartWithoutShareGetsFactorZero) {
  const SimulatedRegression s = planted(5000, 1.5, 0.0, 6);
  const Step step = fit_regression_calibrator("sigma-parts", s.items(), {});
  EXPECT_NEAR(scalar_parameter(step, "s_aleatoric"), std::sqrt(1.5), 0.06);
  EXPECT_LT(scalar_parameter(step, "s_epistemic"), 0.45);
  EXPECT_GE(scalar_parameter(step, "s_epistemic"), 0.0);
}

TEST(SigmaParts, SameBitsForThreads) {
  const SimulatedRegression s = planted(5000, 2, 1, 8);
  const Step a = fit_regression_calibrator("sigma-parts", s.items(), {.threads = 1}),
             b = fit_regression_calibrator("sigma-parts", s.items(), {.threads = 5});
  EXPECT_EQ(a.parameters, b.parameters);
}

}  // namespace
}  // namespace plumb::test
