#include "plumb/numeric/fixed_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace plumb {
namespace {

TEST(FixedPoint, EndsAndTies) {
  constexpr double kUnit = 1.0 / kFixedOne;
  EXPECT_EQ(to_fixed(0.0), 0);
  EXPECT_EQ(to_fixed(-0.0), 0);
  EXPECT_EQ(to_fixed(1.0), std::int64_t{1} << kFractionBits);
  EXPECT_EQ(to_fixed(2.0), std::int64_t{1} << (kFractionBits + 1));
  EXPECT_EQ(to_fixed(-2.0), -(std::int64_t{1} << (kFractionBits + 1)));
  EXPECT_EQ(to_fixed(0.5 * kUnit), 0);  // ties to even
  EXPECT_EQ(to_fixed(1.5 * kUnit), 2);
  EXPECT_EQ(to_fixed(-0.5 * kUnit), 0);
  EXPECT_EQ(to_fixed(-1.5 * kUnit), -2);
  EXPECT_EQ(to_fixed(1e-300), 0);
}

TEST(FixedPoint, NearestMultiple) {
  std::mt19937_64 g(1);
  std::uniform_real_distribution<double> u(-2.0, 2.0);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(u(g), -static_cast<int>(g() % 40));
    ASSERT_EQ(to_fixed(x), std::llrint(std::ldexp(x, kFractionBits))) << x;
  }
}

TEST(FixedPoint, ComesBackWithinHalfAUnit) {
  std::mt19937_64 g(2);
  std::uniform_real_distribution<double> u(0.0, 1.0);
  for (int i = 0; i < 100000; ++i) {
    const double x = u(g);
    ASSERT_LE(std::fabs(from_fixed(to_fixed(x)) - x), 0x1p-51);
    const auto f = static_cast<double>(static_cast<float>(x));
    if (f >= 0x1p-27) {
      ASSERT_EQ(from_fixed(to_fixed(f)), f);  // a float32 from 2^-27 up is exact
    }
  }
}

}  // namespace
}  // namespace plumb
