// Claims of the papers, on simulated data with known truth.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/calibrate_regression/apply.hpp"

namespace plumb::test {
namespace {

TEST(SigmaLaws, RecoversThePlantedFactor) {
  // Var(mean z^2) = 2 / (N d), so the standard error of s is s / sqrt(2 N d).
  for (const int d : {1, 2, 6})
    for (const double factor : {0.5, 1.0, 2.5}) {
      const std::int64_t n = 12000 / d;
      const SimulatedRegression s =
          simulate({.n = n, .outputs = d, .factor = factor, .seed = 40u + static_cast<unsigned>(d)});
      const double se = factor / std::sqrt(2.0 * static_cast<double>(n * d));
      EXPECT_NEAR(scalar_parameter(fit_regression_calibrator("sigma", s.items(), {}), "s"), factor, 4 * se)
          << d << " " << factor;
      const SimulatedRegression test =
          simulate({.n = n, .outputs = d, .factor = factor, .seed = 90u + static_cast<unsigned>(d)});
      const Step step = fit_regression_calibrator("sigma", s.items(), {});
      for (const double level : {0.5, 0.9, 0.95, 0.99})
        EXPECT_NEAR(coverage(step, test, level), level,
                    4 * std::sqrt(2 * level * (1 - level) / static_cast<double>(n * d)))
            << d << " " << factor << " " << level;
    }
}

TEST(SigmaLaws, ACorrectLaplacePredictorGetsOne) {
  const std::int64_t n = 40000;
  const SimulatedRegression s = simulate({.n = n, .laplace = true, .seed = 8});
  // |e| / b is exponential with mean and standard deviation 1.
  EXPECT_NEAR(scalar_parameter(fit_regression_calibrator("sigma-laplace", s.items(), {}), "s"), 1,
              4 / std::sqrt(static_cast<double>(n)));
  const SimulatedRegression wide = simulate({.n = n, .factor = 1.8, .laplace = true, .seed = 8});
  EXPECT_NEAR(scalar_parameter(fit_regression_calibrator("sigma-laplace", wide.items(), {}), "s"), 1.8,
              4 * 1.8 / std::sqrt(static_cast<double>(n)));
}

TEST(SigmaPartsLaws, RecoversBothFactors) {
  SimulatedRegression s = simulate({.n = 40000, .parts = true, .seed = 15});
  RandomStream rng(16, Purpose::demo);
  for (std::size_t k = 0; k < s.mean.size(); ++k)
    s.target[k] = s.mean[k] + std::sqrt(4 * s.aleatoric[k] + 0.25 * s.epistemic[k]) * rng.normal();
  const Step step = fit_regression_calibrator("sigma-parts", s.items(), {});
  EXPECT_NEAR(scalar_parameter(step, "s_aleatoric"), 2, 0.05);
  EXPECT_NEAR(scalar_parameter(step, "s_epistemic"), 0.5, 0.15);
}

TEST(AuxLaws, OverfitsSmallSetsWhereSigmaDoesNot) {
  // The pattern of the paper's table 1: calibration sets of 60, where one factor is all that is wrong.
  double aux = 0, sigma = 0, aux_large = 0;
  const int runs = 30;
  for (int r = 0; r < runs; ++r) {
    const auto seed = 500u + static_cast<unsigned>(r);
    const SimulatedRegression fit = simulate({.n = 60, .factor = 2, .seed = seed}),
                              large = simulate({.n = 6000, .factor = 2, .seed = seed + 1000}),
                              test = simulate({.n = 3000, .factor = 2, .seed = seed + 5000});
    std::vector<double> truth;
    for (const double v : test.variance) truth.push_back(4 * v);
    const double ideal = gaussian_nll(test, truth);
    sigma +=
        gaussian_nll(test, calibrated(fit_regression_calibrator("sigma", fit.items(), {}), test)) - ideal;
    aux += gaussian_nll(test, calibrated(fit_regression_calibrator("aux", fit.items(), {}), test)) - ideal;
    aux_large +=
        gaussian_nll(test, calibrated(fit_regression_calibrator("aux", large.items(), {}), test)) - ideal;
  }
  aux /= runs;
  sigma /= runs;
  aux_large /= runs;
  RecordProperty("excess_nll_sigma_60", std::to_string(sigma));
  RecordProperty("excess_nll_aux_60", std::to_string(aux));
  std::printf("excess NLL on test: sigma %.4f, aux %.4f (60 items), aux %.4f (6000 items)\n", sigma, aux,
              aux_large);
  EXPECT_LT(sigma, 0.03);
  EXPECT_GT(aux, 3 * sigma);
  EXPECT_LT(aux_large, 0.02);
}

TEST(ConformalLaws, CoverageIsAtLeastTheLevelWhateverTheDistribution) {
  // The average over calibration sets of 19 lies in [0.9, 0.9 + 1/20]; Laplace noise, wrong
  // scale, biased mean.
  double sum = 0;
  const int runs = 400;
  for (int r = 0; r < runs; ++r) {
    const auto seed = 3000u + static_cast<unsigned>(r);
    const SimulatedRegression
        fit = simulate({.n = 19, .factor = 3, .bias = 0.5, .laplace = true, .seed = seed}),
        test = simulate({.n = 500, .factor = 3, .bias = 0.5, .laplace = true, .seed = seed + 10000});
    sum += coverage(fit_regression_calibrator("conformal", fit.items(), {}), test, 0.9);
  }
  const double mean = sum / runs,
               slack = 4 * 0.068 / std::sqrt(static_cast<double>(runs));  // sd of a Beta(18, 2)
  EXPECT_GE(mean, 0.9 - slack);
  EXPECT_LE(mean, 0.95 + slack);
}

}  // namespace
}  // namespace plumb::test
