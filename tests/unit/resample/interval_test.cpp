#include "plumb/resample/interval.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace plumb {
namespace {

std::vector<double> zero_to_hundred() {
  std::vector<double> v(101);
  std::iota(v.rbegin(), v.rend(), 0.0);
  return v;
}

TEST(Interval, PercentileIsTypeSeven) {
  const Bounds b = percentile_bounds(zero_to_hundred(), 0.9);
  EXPECT_NEAR(b.low, 5, 1e-12);
  EXPECT_NEAR(b.high, 95, 1e-12);
}

TEST(Interval, BasicMirrorsAndStaysAboveZero) {
  const Bounds b = basic_bounds(60, zero_to_hundred(), 0.9);
  EXPECT_NEAR(b.low, 25, 1e-12);    // 120 - 95
  EXPECT_NEAR(b.high, 115, 1e-12);  // 120 - 5
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
