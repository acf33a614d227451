#include "calibrate/regression/lbfgs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::test {
namespace {

TEST(Lbfgs, Rosenbrock) {
  std::vector<double> x{-1.2, 1, 0.5, -0.7};
  const auto f = [](std::span<const double> p, std::span<double> g) {
    double value = 0;
    for (std::size_t k = 0; k < 4; k += 2) {
      const double a = 1 - p[k], b = p[k + 1] - p[k] * p[k];
      value += a * a + 100 * b * b;
      g[k] = -2 * a - 400 * p[k] * b;
      g[k + 1] = 200 * b;
    }
    return value;
  };
  const auto r = detail::lbfgs(f, x, 1e-9, 500);
  for (const double v : x) EXPECT_NEAR(v, 1, 1e-8);
  EXPECT_LE(r.gradient_norm, 1e-9);
  EXPECT_LT(r.iterations, 200);
}

TEST(Lbfgs, StopsWhenTold) {
  std::vector<double> x{5};
  int asked = 0;
  const auto r = detail::lbfgs(
      [](std::span<const double> p, std::span<double> g) {
        g[0] = 4 * p[0] * p[0] * p[0];
        return p[0] * p[0] * p[0] * p[0];
      },
      x, 0, 100, [&](std::span<const double>) { return ++asked == 3; });
  EXPECT_EQ(r.iterations, 3);
}

}  // namespace
}  // namespace plumb::test
