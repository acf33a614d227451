#include "plumb/simulate/needles.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::test {
namespace {

TEST(Needles, ALargerSetBeginsWithTheSmaller) {
  const Needles small = simulate_needles({.items = 100}), large = simulate_needles({.items = 300});
  const Needles part = slice(large, 0, 100);
  EXPECT_EQ(small.targets, part.targets);
  EXPECT_EQ(small.mean_samples, part.mean_samples);
  EXPECT_EQ(small.epistemic, part.epistemic);
  EXPECT_EQ(small.patient, part.patient);
  EXPECT_NE(small.targets, simulate_needles({.items = 100, .seed = 1}).targets);
}

TEST(Needles, PartsAreThoseOfThePasses) {
  const Needles n = simulate_needles({.items = 40, .passes = 4});
  for (std::size_t k = 0; k < 80; ++k) {
    double mean = 0, square = 0, variance = 0;
    for (std::size_t s = 0; s < 4; ++s) {
      mean += static_cast<double>(n.mean_samples[s * 80 + k]) / 4;
      square += std::pow(static_cast<double>(n.mean_samples[s * 80 + k]), 2) / 4;
      variance += static_cast<double>(n.variance_samples[s * 80 + k]) / 4;
    }
    EXPECT_NEAR(n.mean[k], mean, 1e-12);
    EXPECT_NEAR(n.epistemic[k], square - mean * mean, 1e-9);
    EXPECT_NEAR(n.aleatoric[k], variance, 1e-12);
  }
}

TEST(Needles, WithoutShrinkingTheVarianceIsRightAwayFromTheHarbour) {
  // Told: sd^2 aleatoric + (sd/2)^2 of the passes, 9/10 of it by the 1/S variance of ten; true:
  // sd^2 + (sd/2)^2.
  const Needles n = simulate_needles({.items = 20000, .shrink = 1});
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < n.targets.size(); ++k) {
    if (n.site[k / 2] == "harbour") continue;
    sum += std::pow(n.targets[k] - n.mean[k], 2) / (n.aleatoric[k] + n.epistemic[k]);
    ++count;
  }
  EXPECT_NEAR(sum / count, 1.05, 0.08);
}

}  // namespace
}  // namespace plumb::test
