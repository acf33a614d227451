#include "plumb/numeric/elementary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "each_target.hpp"

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What docs/numerics.md promises. 0.88 was the largest seen in 1e7 values;
// the 80-bit reference adds less than 0.001.
constexpr double kMaxUlp = 0.9;
// exp, then 1 + e and a division, each rounded.
constexpr double kMaxUlpLogistic = 2.5;

double ulps(double got, long double want) {
  int exponent = 0;
  std::frexp(static_cast<double>(want), &exponent);
  const double ulp = std::ldexp(1.0, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs((static_cast<long double>(got) - want) / ulp));
}

class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : g_(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(g_() >> 11), -53);
  }
  int below(int n) { return static_cast<int>(g_() % static_cast<std::uint64_t>(n)); }

 private:
  std::mt19937_64 g_;
};

// Equal bits; one NaN is as good as another.
bool same(double a, double b) {
  return (a != a && b != b) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::vector<double> awkward() {
  return {0.0,
          -0.0,
          1.0,
          -1.0,
          0.5,
          2.0,
          709.78,
          709.79,
          710.5,
          -708.3,
          -708.5,
          -740.0,
          -745.13,
          -745.14,
          -746.5,
          1e-300,
          -1e-300,
          5e-324,
          -5e-324,
          0x1p-1022,
          0x1.fffffffffffffp-1023,
          1e300,
          -1e300,
          std::numeric_limits<double>::max(),
          std::numeric_limits<double>::lowest(),
          kInfinity,
          -kInfinity,
          kNaN,
          0.34657359027997264,
          -0.34657359027997264,
          0.7071067811865475,
          0.7071067811865476,
          1.4142135623730951,
          0x1.fffffffffffffp-1,
          0x1.0000000000001p0};
}

TEST(Elementary, ExpIsWithinItsBound) {
  Uniform u(1);
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    for (const double x :
         {u(-1.0, 1.0), u(-40.0, 40.0), u(-745.0, 709.7), std::ldexp(u(-1.0, 1.0), -u.below(60))}) {
      worst = std::max(worst, ulps(exp_portable(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LE(worst, kMaxUlp);
}

TEST(Elementary, LogIsWithinItsBound) {
  Uniform u(2);
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double near_one = 1.0 + std::ldexp(u(-1.0, 1.0), -2 - u.below(48));
    for (const double x :
         {u(1e-18, 1.0), u(0.5, 2.0), near_one, std::ldexp(u(1.0, 2.0), u.below(2098) - 1074)}) {
      worst = std::max(worst, ulps(log_portable(x), std::log(static_cast<long double>(x))));
    }
  }
  EXPECT_LE(worst, kMaxUlp);
}

TEST(Elementary, LogisticIsWithinItsBoundInBothTails) {
  Uniform u(3);
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    for (const double x : {u(-5.0, 5.0), u(-40.0, 40.0), u(-745.0, -40.0)}) {
      worst = std::max(worst, ulps(logistic(x), 1.0L / (1.0L + std::exp(-static_cast<long double>(x)))));
    }
  }
  EXPECT_LE(worst, kMaxUlpLogistic);
}

TEST(Elementary, ExpEdges) {
  EXPECT_EQ(exp_portable(0.0), 1.0);
  EXPECT_EQ(exp_portable(-0.0), 1.0);
  EXPECT_EQ(exp_portable(kInfinity), kInfinity);
  EXPECT_EQ(exp_portable(-kInfinity), 0.0);
  EXPECT_EQ(exp_portable(709.79), kInfinity);
  EXPECT_LT(exp_portable(709.78), kInfinity);
  EXPECT_EQ(exp_portable(-745.14), 0.0);
  EXPECT_EQ(exp_portable(-745.13), 5e-324);
  EXPECT_EQ(exp_portable(-1e300), 0.0);
  EXPECT_TRUE(std::isnan(exp_portable(kNaN)));
}

TEST(Elementary, LogEdges) {
  EXPECT_EQ(log_portable(1.0), 0.0);
  EXPECT_FALSE(std::signbit(log_portable(1.0)));
  EXPECT_EQ(log_portable(0.0), -kInfinity);
  EXPECT_EQ(log_portable(-0.0), -kInfinity);
  EXPECT_EQ(log_portable(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log_portable(-1.0)));
  EXPECT_TRUE(std::isnan(log_portable(-kInfinity)));
  EXPECT_TRUE(std::isnan(log_portable(kNaN)));
  for (int k = -1074; k < 1024; ++k) {
    ASSERT_LE(ulps(log_portable(std::ldexp(1.0, k)), k * 0.693147180559945309417232121458L), kMaxUlp)
        << "2^" << k;
  }
}

TEST(Elementary, LogisticEdges) {
  EXPECT_EQ(logistic(0.0), 0.5);
  EXPECT_EQ(logistic(kInfinity), 1.0);
  EXPECT_EQ(logistic(-kInfinity), 0.0);
  EXPECT_EQ(logistic(800.0), 1.0);
  EXPECT_EQ(logistic(-800.0), 0.0);
  EXPECT_TRUE(std::isnan(logistic(kNaN)));
}

TEST(Elementary, BlocksHaveTheBitsOfTheScalarOnEveryTarget) {
  Uniform u(4);
  std::vector<double> x = awkward();
  while (x.size() < 5000) {
    x.push_back(u(-50.0, 50.0));
    x.push_back(u(0.0, 1.0));
    x.push_back(std::ldexp(u(-2.0, 2.0), u.below(2098) - 1074));
  }
  each_target([&] {
    std::vector<double> e(x.size());
    std::vector<double> l(x.size());
    std::vector<double> s(x.size());
    exp_block(x, e);
    log_block(x, l);
    logistic_block(x, s);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(same(e[i], exp_portable(x[i])))
          << "exp " << x[i] << ": " << e[i] << ", " << exp_portable(x[i]);
      ASSERT_TRUE(same(l[i], log_portable(x[i])))
          << "log " << x[i] << ": " << l[i] << ", " << log_portable(x[i]);
      ASSERT_TRUE(same(s[i], logistic(x[i])))
          << "logistic " << x[i] << ": " << s[i] << ", " << logistic(x[i]);
    }
  });
}

TEST(Elementary, BlocksOfAnyLengthAndInPlace) {
  each_target([] {
    for (std::size_t n = 0; n < 40; ++n) {
      std::vector<double> x(n + 1, 7.0);
      for (std::size_t i = 0; i < n; ++i) x[i] = 0.1 * static_cast<double>(i) - 1.0;
      const auto given = x;
      exp_block(std::span(x).first(n), std::span(x).first(n));
      for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(same(x[i], exp_portable(given[i]))) << "length " << n;
      ASSERT_EQ(x[n], 7.0) << "written past the end at length " << n;
    }
  });
  std::vector<double> three(3);
  EXPECT_THROW(exp_block(three, std::span(three).first(2)), std::invalid_argument);
}

// Reference: the eight interleaved lanes written out with the scalar functions.
double lane_sum_of_exp(const std::vector<double>& x, double largest) {
  std::array<double, 8> l{};
  for (std::size_t i = 0; i < x.size(); ++i) l[i % 8] += exp_portable(x[i] - largest);
  return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

TEST(Elementary, SoftmaxAndLogSumExpHaveTheSameBitsOnEveryTarget) {
  Uniform u(5);
  for (std::size_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 24, 31, 100, 1000}) {
    std::vector<double> x(n);
    for (double& v : x) v = u(-30.0, 30.0);
    if (n > 4) x[n / 2] = -kInfinity;
    const double largest = *std::max_element(x.begin(), x.end());
    const double sum = lane_sum_of_exp(x, largest);
    each_target([&] {
      std::vector<double> row = x;
      row.push_back(7.0);
      softmax_row(std::span(row).first(n));
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_TRUE(same(row[i], exp_portable(x[i] - largest) / sum)) << n << " at " << i;
      ASSERT_EQ(row[n], 7.0);
      ASSERT_TRUE(same(log_sum_exp(x), largest + log_portable(sum))) << n;
    });
  }
}

// Reference in higher precision. x - max is rounded before exp:
// at differences up to 600 that is 5.7e-14 of the probability.
TEST(Elementary, SoftmaxIsAccurate) {
  constexpr double kTolerance = 7e-14;
  Uniform u(6);
  for (std::size_t n : {2, 10, 1000}) {
    std::vector<double> x(n);
    for (double& v : x) v = u(-300.0, 300.0);
    long double total = 0.0L;
    const long double largest = *std::max_element(x.begin(), x.end());
    for (const double v : x) total += std::exp(v - largest);
    auto row = x;
    softmax_row(row);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const long double want = std::exp(x[i] - largest) / total;
      ASSERT_LE(std::fabs(row[i] - want), kTolerance * want + 1e-320L) << n << " at " << i;
      sum += row[i];
    }
    EXPECT_NEAR(sum, 1.0, kTolerance);
    EXPECT_NEAR(log_sum_exp(x), static_cast<double>(largest + std::log(total)), kTolerance * 300.0);
  }
}

TEST(Elementary, SoftmaxEdges) {
  each_target([] {
    std::vector<double> one = {-1234.5};
    softmax_row(one);
    EXPECT_EQ(one[0], 1.0);
    std::vector<double> big = {1e308, -1e308, 1e308};
    softmax_row(big);
    EXPECT_EQ(big, (std::vector<double>{0.5, 0.0, 0.5}));
    softmax_row({});
    for (const std::size_t n : {3, 20}) {
      std::vector<double> with_nan(n, 0.0);
      with_nan[1] = kNaN;
      EXPECT_TRUE(std::isnan(log_sum_exp(with_nan)));
      softmax_row(with_nan);
      for (const double p : with_nan) EXPECT_TRUE(std::isnan(p));
      std::vector<double> nothing(n, -kInfinity);
      EXPECT_EQ(log_sum_exp(nothing), -kInfinity);
      softmax_row(nothing);
      for (const double p : nothing) EXPECT_TRUE(std::isnan(p));
    }
    EXPECT_EQ(log_sum_exp({}), -kInfinity);
    EXPECT_EQ(log_sum_exp(std::vector<double>{1.0, kInfinity}), kInfinity);
    EXPECT_EQ(log_sum_exp(std::vector<double>{-2.5}), -2.5);
  });
}

}  // namespace
}  // namespace plumb
