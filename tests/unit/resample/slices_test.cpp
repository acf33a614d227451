// Levels and widths of intervals that hold for many slices at once.
#include "plumb/resample/slices.hpp"

#include <gtest/gtest.h>

#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

constexpr double kRounding = 1e-12;

TEST(Slices, TheLevelIsBonferronis) {
  EXPECT_DOUBLE_EQ(simultaneous_level(0.95, 1), 0.95);
  EXPECT_NEAR(simultaneous_level(0.95, 10), 0.995, kRounding);
  EXPECT_NEAR(simultaneous_level(0.9, 200), 0.9995, kRounding);
  EXPECT_DOUBLE_EQ(simultaneous_level(0.95, 0), 0.95);
}

TEST(Slices, ANormalIntervalIsThatOfTheWiderLevel) {
  const double z = normal_quantile(0.975), wide = normal_quantile(0.9975);
  const Bounds b = widened({2 - z * 0.1, 2 + z * 0.1}, 2, 0.95, 0.995, 0, 10);
  EXPECT_NEAR(b.low, 2 - wide * 0.1, kRounding);
  EXPECT_NEAR(b.high, 2 + wide * 0.1, kRounding);
}

TEST(Slices, TheIntervalNeverShrinksAndStaysInRange) {
  for (const double value : {0.0, 0.05, 0.2, 0.4})
    for (const Bounds in : {Bounds{0, 0.1}, Bounds{0.05, 0.3}, Bounds{0.9, 1}})
      for (const double wider : {0.95, 0.99, 0.9999}) {
        const Bounds b = widened(in, value, 0.95, wider, 0, 1);
        EXPECT_LE(b.low, in.low + kRounding);
        EXPECT_GE(b.high, in.high - kRounding);
        EXPECT_GE(b.low, 0);
        EXPECT_LE(b.high, 1);
      }
}

TEST(Slices, AnEndAtTheBoundOfTheRangeStretchesTheOtherFully) {
  const Bounds b = widened({0, 0.1}, 0.3, 0.95, 0.995, 0, 1);  // the value is outside: a plug-in error
  EXPECT_EQ(b.low, 0);
  EXPECT_NEAR(b.high, 0.1 * normal_quantile(0.9975) / normal_quantile(0.975), kRounding);
}

TEST(Slices, TheNoteSaysHowManyWereComparedOrWhyThereAreNone) {
  EXPECT_EQ(slices_note(1, 0.95), "");
  EXPECT_NE(slices_note(20, 0.95).find("20 slices were compared"), std::string::npos);
  EXPECT_NE(slices_note(20, 0.95).find("about 1 of"), std::string::npos);
  EXPECT_NE(slices_note(kMostSliceIntervals + 1, 0.95).find("no intervals"), std::string::npos);
}

}  // namespace
}  // namespace plumb
