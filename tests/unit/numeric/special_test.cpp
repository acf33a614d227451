#include "plumb/numeric/special.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// About twice the largest differences seen; docs/numerics.md states them in ulp.
constexpr double kRelative = 2e-15;

class Draw {
 public:
  double operator()(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(g_() >> 11), -53);
  }
  double any_scale() { return std::ldexp((*this)(1.0, 2.0), static_cast<int>(g_() % 120) - 60); }

 private:
  std::mt19937_64 g_{20};
};

// Reference: Boost.Math in 80-bit arithmetic.
TEST(Special, LogGamma) {
  Draw u;
  for (int i = 0; i < 20000; ++i) {
    for (const double x :
         {u(1e-3, 3.0), u(2.0, 30.0), u.any_scale(), 1.0 + 1e-3 * u(-1.0, 1.0), 2.0 + 1e-6 * u(-1.0, 1.0)}) {
      const long double want = boost::math::lgamma(static_cast<long double>(x));
      ASSERT_LE(std::fabs(log_gamma(x) - want), kRelative * std::fabs(want)) << x;
    }
  }
  EXPECT_EQ(log_gamma(1.0), 0.0);
  EXPECT_EQ(log_gamma(2.0), 0.0);
  EXPECT_EQ(log_gamma(0.0), kInfinity);
  EXPECT_EQ(log_gamma(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log_gamma(-1.5)));
  EXPECT_DOUBLE_EQ(log_gamma(0.5), 0.57236494292470008707);  // log sqrt(pi)
  EXPECT_DOUBLE_EQ(log_gamma(11.0), 15.104412573075515295);  // log 10!
}

TEST(Special, NormalCdf) {
  Draw u;
  for (int i = 0; i < 20000; ++i) {
    for (const double x : {u(-1.0, 1.0), u(-6.0, 6.0), u(-37.0, -5.0)}) {
      const long double want =
          0.5L * boost::math::erfc(-static_cast<long double>(x) * 0.707106781186547524400844362104849039L);
      ASSERT_LE(std::fabs(normal_cdf(x) - want), kRelative * want) << x;
    }
  }
  EXPECT_DOUBLE_EQ(normal_cdf(0.0), 0.5);
  EXPECT_EQ(normal_cdf(-kInfinity), 0.0);
  EXPECT_EQ(normal_cdf(kInfinity), 1.0);
  EXPECT_EQ(normal_cdf(-50.0), 0.0);
  EXPECT_EQ(normal_cdf(10.0), 1.0);
  EXPECT_TRUE(std::isnan(normal_cdf(std::nan(""))));
  for (double x = -40.0; x < 10.0; x += 0.01) ASSERT_LE(normal_cdf(x), normal_cdf(x + 0.01)) << x;
}

TEST(Special, NormalQuantile) {
  Draw u;
  for (int i = 0; i < 5000; ++i) {
    for (const double p : {u(0.0, 1.0), u(0.0, 1e-3), 1.0 - u(1e-12, 1e-3), std::ldexp(u(1.0, 2.0), -200)}) {
      if (p == 0.0 || p == 0.5) continue;
      const long double want = -1.41421356237309504880168872420969808L * boost::math::erfc_inv(2.0L * p);
      ASSERT_LE(std::fabs(normal_quantile(p) - want), kRelative * std::fabs(want)) << p;
    }
  }
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_DOUBLE_EQ(normal_quantile(0.975), 1.9599639845400542355);
  EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
  EXPECT_EQ(normal_quantile(0.0), -kInfinity);
  EXPECT_EQ(normal_quantile(1.0), kInfinity);
  EXPECT_TRUE(std::isnan(normal_quantile(1.5)));
}

TEST(Special, ChiSquareTail) {
  Draw u;
  for (int i = 0; i < 2000; ++i)
    for (const int degrees : {1, 2, 3, 9, 10, 25}) {
      const double x = u(0.0, 80.0);
      const long double want = boost::math::gamma_q(0.5L * degrees, 0.5L * x);
      ASSERT_LE(std::fabs(chi_square_tail(x, degrees) - want), 1e-13L * want) << x << " " << degrees;
    }
  EXPECT_EQ(chi_square_tail(0, 3), 1);
  EXPECT_EQ(chi_square_tail(kInfinity, 3), 0);
  EXPECT_TRUE(std::isnan(chi_square_tail(1, 0)));
  EXPECT_NEAR(chi_square_tail(18.307, 10), 0.05, 1e-5);
}

// Gamma's recurrence ties the branches together across their borders.
TEST(Special, Recurrences) {
  Draw u;
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(std::floor(std::ldexp(u(0.1, 20.0), 40)), -40);  // x + 1 is exact
    ASSERT_NEAR(log_gamma(x + 1.0), log_gamma(x) + std::log(x), 2e-14) << x;
  }
}

}  // namespace
}  // namespace plumb
