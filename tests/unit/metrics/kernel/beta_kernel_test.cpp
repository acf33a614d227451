#include "plumb/metrics/kernel/beta_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

// The log-gamma functions of the reference are as large as 1/h log(1/h), in long double (1e-19)
// and after cancellation.
constexpr double kCancelled = 1e-17;
// Of a deviance up to some hundreds, and a few units in the last place of Stirling's terms.
constexpr double kRelative = 1e-14;

double lgammal_rest(double a) {
  const long double x = a;
  return static_cast<double>(std::lgamma(x + 1) - x * std::log(x) + x);
}

TEST(BetaKernel, StirlingRestAgreesWithLogGamma) {
  for (double a : {1e-300, 1e-9, 0.001, 0.3, 1.0, 5.5, 15.999, 16.0, 16.001, 40.0, 1000.0, 1e5}) {
    EXPECT_NEAR(stirling_rest(a), lgammal_rest(a), 3e-14) << a;
  }
  EXPECT_EQ(stirling_rest(0.0), 0.0);
}

TEST(BetaKernel, AgreesWithLogGammaFormula) {
  for (double h : {1e-5, 1e-3, 0.02, 0.3, 1.0}) {
    for (double x : {1e-300, 1e-20, 1e-6, 0.01, 0.2, 0.5, 0.8, 0.999, 1 - 1e-12}) {
      for (double q : {0.0, 1e-20, 1e-6, 0.0099, 0.21, 0.5, 0.80001, 1 - 1e-12, 1.0}) {
        const auto expected = static_cast<double>(reference::log_kernel(x, q, h));
        const double got = log_beta_kernel(EndDistance::from(x), EndDistance::from(q), h);
        EXPECT_NEAR(got, expected, kRelative * (30 + std::abs(expected)) + kCancelled / h / h)
            << h << ' ' << x << ' ' << q;
      }
    }
  }
}

// A difference of 1e-15 beside the end 1 must not be lost in 1 - p.
TEST(BetaKernel, IsTheSameNearBothEnds) {
  for (double x : {1e-15, 3e-10, 0.2}) {
    for (double q : {0.0, 2e-15, 5e-10, 0.3}) {
      EXPECT_EQ(log_beta_kernel({x, false}, {q, false}, 0.01), log_beta_kernel({x, true}, {q, true}, 0.01));
    }
  }
}

TEST(BetaKernel, IntegratesToOne) {
  const double h = 0.05;
  for (double q : {0.0, 0.01, 0.4, 1.0}) {
    const int n = 20000;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      sum += std::exp(log_beta_kernel(EndDistance::from((i + 0.5) / n), EndDistance::from(q), h)) / n;
    }
    EXPECT_NEAR(sum, 1.0, 3e-5) << q;  // the midpoint rule, where the density has infinite slope at 0
  }
}

TEST(BetaKernel, LimitsAtTheEnds) {
  const double h = 0.02;
  const EndDistance zero{0.0, false}, one{0.0, true}, inner{0.1, false};
  EXPECT_NEAR(std::exp(log_beta_kernel(zero, zero, h)), 1 / h + 1, 1e-11);
  EXPECT_NEAR(std::exp(log_beta_kernel(one, one, h)), 1 / h + 1, 1e-11);
  EXPECT_EQ(std::exp(log_beta_kernel(zero, inner, h)), 0.0);
  EXPECT_EQ(std::exp(log_beta_kernel(one, inner, h)), 0.0);
  EXPECT_EQ(std::exp(log_beta_kernel(zero, one, h)), 0.0);
}

TEST(BetaKernel, BandwidthIsChecked) {
  for (double h : {0.0, -1.0, 1e-6, 1.5, std::nan("")}) EXPECT_THROW(check_bandwidth(h), InputError) << h;
  for (double h : {1e-5, 0.02, 1.0}) EXPECT_NO_THROW(check_bandwidth(h)) << h;
}

}  // namespace
}  // namespace plumb
