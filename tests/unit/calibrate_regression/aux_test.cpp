#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/regression/aux_network.hpp"
#include "plumb/data/check.hpp"
#include "unit/calibrate_regression/apply.hpp"

namespace plumb::test {
namespace {

TEST(AuxObjective, GradientIsThatOfFiniteDifferences) {
  const SimulatedRegression s = simulate({.n = 200, .factor = 1.4, .weights = true});
  std::vector<double> x, err2, w;
  for (std::size_t i = 0; i < 200; ++i) {
    x.push_back(std::log(s.variance[i]) + 2);
    err2.push_back(std::pow(s.target[i] - s.mean[i], 2));
    w.push_back(s.weight[i] + 0.1);
  }
  const std::size_t hidden = 5;
  const detail::AuxObjective f(x, err2, w, hidden, 2);
  RandomStream rng(7, Purpose::demo);
  std::vector<double> p(3 * hidden + 1), gradient(p.size()), none;
  for (double& v : p) v = rng.normal();
  const double value = f.value(p, gradient);
  EXPECT_EQ(value, f.value(p));
  for (std::size_t k = 0; k < p.size(); ++k) {
    constexpr double kStep = 1e-6;
    std::vector<double> up = p, down = p;
    up[k] += kStep;
    down[k] -= kStep;
    const double slope = (f.value(up) - f.value(down)) / (2 * kStep);
    EXPECT_NEAR(gradient[k], slope, 1e-6 * std::max(1.0, std::abs(slope)))
        << k;  // kinks lie between few points
  }
}

TEST(Aux, LearnsAPower) {
  // The told variance v stands for a true variance 0.3 v^1.5: no single factor corrects that.
  SimulatedRegression s = simulate({.n = 20000, .seed = 11}), test = simulate({.n = 20000, .seed = 12});
  RandomStream rng(13, Purpose::demo);
  for (SimulatedRegression* part : {&s, &test})
    for (std::size_t i = 0; i < part->mean.size(); ++i)
      part->target[i] = part->mean[i] + std::sqrt(0.3 * std::pow(part->variance[i], 1.5)) * rng.normal();
  const Step aux = fit_regression_calibrator("aux", s.items(), {}),
             sigma = fit_regression_calibrator("sigma", s.items(), {});
  std::vector<double> truth;
  for (const double v : test.variance) truth.push_back(0.3 * std::pow(v, 1.5));
  const double ideal = gaussian_nll(test, truth);
  EXPECT_LT(gaussian_nll(test, calibrated(aux, test)) - ideal, 0.005);
  EXPECT_GT(gaussian_nll(test, calibrated(sigma, test)) - ideal, 0.05);
}

TEST(Aux, SameBitsForThreadsAndSeeded) {
  const SimulatedRegression s = simulate({.n = 9000, .factor = 1.5});
  const Step a = fit_regression_calibrator("aux", s.items(), {.hidden = 4, .threads = 1}),
             b = fit_regression_calibrator("aux", s.items(), {.hidden = 4, .threads = 6});
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_NE(a.parameters, fit_regression_calibrator("aux", s.items(), {.hidden = 4, .seed = 3}).parameters);
}

TEST(Aux, AleatoricAndHiddenUnits) {
  const SimulatedRegression s = simulate({.n = 600, .parts = true});
  const Step step = fit_regression_calibrator("aux-aleatoric", s.items(), {.hidden = 2});
  EXPECT_EQ(vector_parameter(step, "weight").size(), 2u);
  const auto variance = calibrated(step, s);
  for (const double v : variance) EXPECT_GT(v, 0);
  EXPECT_THROW((void)fit_regression_calibrator("aux", s.items(), {.hidden = 0}), InputError);
  EXPECT_THROW((void)fit_regression_calibrator("aux", s.items(), {.hold_out = 1}), InputError);
}

TEST(Aux, SaysWhenThereIsLittleData) {
  const Step step = fit_regression_calibrator("aux", simulate({.n = 50}).items(), {});
  EXPECT_FALSE(step.fit.warnings.empty());
}

}  // namespace
}  // namespace plumb::test
