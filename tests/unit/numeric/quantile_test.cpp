#include "plumb/numeric/quantile.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace plumb {
namespace {

// Golden: numpy.quantile(x, q) and R's quantile(x, q, type = 7).
TEST(Quantile, TypeSeven) {
  const std::vector<double> x = {1.0, 2.0, 4.0, 8.0, 16.0};
  EXPECT_EQ(quantile_sorted(x, 0.0), 1.0);
  EXPECT_EQ(quantile_sorted(x, 1.0), 16.0);
  EXPECT_EQ(quantile_sorted(x, 0.5), 4.0);
  EXPECT_EQ(quantile_sorted(x, 0.25), 2.0);
  EXPECT_DOUBLE_EQ(quantile_sorted(x, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile_sorted(x, 0.9), 12.8);
  EXPECT_EQ(quantile_sorted(std::vector<double>{1.0, 2.0}, 0.5), 1.5);
}

TEST(Quantile, Edges) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantile({3.0}, 0.3), 3.0);
  EXPECT_EQ(quantile({8.0, 1.0, 16.0, 4.0, 2.0}, 0.25), 2.0);
  EXPECT_EQ(quantile({5.0, 5.0, 5.0}, 0.77), 5.0);
  EXPECT_EQ(quantile({kInfinity, 1.0, kInfinity}, 0.9), kInfinity);
  EXPECT_THROW(static_cast<void>(quantile({}, 0.5)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(quantile({1.0}, -0.1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(quantile({1.0}, 1.1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(quantile({1.0}, std::numeric_limits<double>::quiet_NaN())),
               std::invalid_argument);
}

TEST(Quantile, MonotoneInItsOrder) {
  const std::vector<double> x = {0.1, 0.2, 0.30000000000000004, 0.7, 0.7, 0.9};
  double last = x.front();
  for (int i = 0; i <= 1000; ++i) {
    const double q = quantile_sorted(x, i / 1000.0);
    ASSERT_GE(q, last);
    ASSERT_LE(q, x.back());
    last = q;
  }
}

TEST(Quantile, Weighted) {
  const std::vector<double> x = {1.0, 2.0, 3.0, 4.0};
  const std::vector<double> w = {1.0, 0.0, 2.0, 1.0};
  EXPECT_EQ(weighted_quantile_sorted(x, w, 0.0), 1.0);
  EXPECT_EQ(weighted_quantile_sorted(x, w, 0.25), 1.0);
  EXPECT_EQ(weighted_quantile_sorted(x, w, 0.26), 3.0);  // a weight of 0 is never the answer
  EXPECT_EQ(weighted_quantile_sorted(x, w, 0.75), 3.0);
  EXPECT_EQ(weighted_quantile_sorted(x, w, 0.76), 4.0);
  EXPECT_EQ(weighted_quantile_sorted(x, w, 1.0), 4.0);
  EXPECT_EQ(weighted_quantile_sorted(x, std::vector<double>{0.0, 1.0, 1.0, 0.0}, 1.0), 3.0);
  EXPECT_THROW(static_cast<void>(weighted_quantile_sorted(x, std::vector<double>(4, 0.0), 0.5)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(weighted_quantile_sorted(x, std::vector<double>(3, 1.0), 0.5)),
               std::invalid_argument);
}

}  // namespace
}  // namespace plumb
