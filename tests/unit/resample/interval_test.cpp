#include "plumb/resample/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace plumb {
namespace {

std::vector<double> zero_to_hundred() {
  std::vector<double> v(101);
  std::iota(v.rbegin(), v.rend(), 0.0);
  return v;
}

TEST(Interval, PercentileIsTypeSix) {
  const Bounds b = percentile_bounds(zero_to_hundred(), 0.9);
  EXPECT_NEAR(b.low, 4.1, 1e-12);  // rank 0.05 * 102, from 1
  EXPECT_NEAR(b.high, 95.9, 1e-12);
  EXPECT_EQ(percentile_bounds({1, 2, 3}, 0.95).low, 1);
  EXPECT_EQ(percentile_bounds({7}, 0.95).high, 7);
}

TEST(Interval, NormalTakesTheBiasOff) {
  const std::vector<double> r = {1, 2, 3};  // mean 2, standard deviation 1
  const Bounds b = normal_bounds(1.5, r, 0.95);
  EXPECT_NEAR(b.low, 1 - 1.959963984540054, 1e-12);
  EXPECT_NEAR(b.high, 1 + 1.959963984540054, 1e-12);
}

TEST(Interval, WilsonSolvesItsEquation) {  // |x - q| = z sqrt(q (1 - q) / n) at both ends
  const double z = 1.959963984540054;
  for (const double x : {0.02, 0.5, 0.9})
    for (const double n : {5.0, 37.5, 1000.0}) {
      const Bounds b = wilson_bounds(x, n, 0.95);
      for (const double q : {b.low, b.high})
        EXPECT_NEAR(std::abs(x - q), z * std::sqrt(q * (1 - q) / n), 1e-12);
    }
  EXPECT_EQ(wilson_bounds(1, 100, 0.95).high, 1);
  EXPECT_NEAR(wilson_bounds(1, 100, 0.95).low, 100 / (100 + z * z), 1e-12);
  EXPECT_EQ(wilson_bounds(0, 100, 0.95).low, 0);
}

TEST(Interval, GroupsAreStretchedAsStudentSays) {
  const double z = 1.959963984540054;
  EXPECT_NEAR(z * student_factor(z, 9), 2.262157, 2e-3);  // tables of t at 0.975
  EXPECT_NEAR(z * student_factor(z, 39), 2.022691, 1e-4);
  EXPECT_NEAR(group_stretch(40, 0.95), 2.022691 / z * std::sqrt(40.0 / 39), 1e-4);
  EXPECT_NEAR(group_stretch(1e9, 0.95), 1, 1e-8);
  EXPECT_EQ(group_stretch(1, 0.95), group_stretch(2, 0.95));
}

TEST(Interval, StretchedKeepsTheValueAndTheRange) {
  const Bounds b = stretched({1, 4}, 2, 1.5, 0, 4.5);
  EXPECT_EQ(b.low, 0.5);
  EXPECT_EQ(b.high, 4.5);
  const Bounds at_zero = stretched({0, 2}, 1, 2, 0, 10);
  EXPECT_EQ(at_zero.low, 0);
  EXPECT_EQ(at_zero.high, 4);
}

TEST(Interval, LogitStaysInside) {
  const Bounds b = logit_bounds(0.98, 0.02, 0.95);
  EXPECT_GT(b.low, 0.8);
  EXPECT_LT(b.high, 1);
  EXPECT_NEAR(std::log(b.low / (1 - b.low)) + std::log(b.high / (1 - b.high)), 2 * std::log(0.98 / 0.02),
              1e-9);
}

TEST(Interval, BasicMirrorsAndStaysAboveZero) {
  const Bounds b = basic_bounds(60, zero_to_hundred(), 0.9);
  EXPECT_NEAR(b.low, 24.1, 1e-12);    // 120 - 95.9
  EXPECT_NEAR(b.high, 115.9, 1e-12);  // 120 - 4.1
  EXPECT_EQ(basic_bounds(10, zero_to_hundred(), 0.9).low, 0);
}

TEST(Interval, PValueCountsTheObservedOne) {
  const std::vector<double> null = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(p_value(5, null), 0.2);
  EXPECT_DOUBLE_EQ(p_value(3, null), 0.6);  // two at or above it
  EXPECT_DOUBLE_EQ(p_value(0, null), 1.0);
}

TEST(Interval, MeanIsExact) { EXPECT_EQ(mean(std::vector<double>{1e30, 3, -1e30}), 1.0); }

}  // namespace
}  // namespace plumb
