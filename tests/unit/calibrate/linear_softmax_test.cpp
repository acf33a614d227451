#include "calibrate/linear_softmax.hpp"

#include <gtest/gtest.h>

#include "calibrate/kernels.hpp"
#include "calibrate/symmetric.hpp"
#include "parametric.hpp"

namespace plumb::detail {
namespace {

using test::simulate;
using test::to_items;
using test::VoteForm;

struct Problem {
  Items items;
  FitData data;
  explicit Problem(int k, std::int64_t n = 300)
      : items(to_items(simulate({.n = n, .classes = k, .raters = 3, .vary = true, .sharpen = 1.5}),
                       VoteForm::counts)),
        data(load_fit_data(items, tally(items, 1), ScoreKind::logits, 1, {.threads = 2})) {}
};

std::vector<double> noise(std::size_t n, double size, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo);
  std::vector<double> x(n);
  for (double& v : x) v = size * rng.normal();
  return x;
}

TEST(LinearSoftmax, GradientAndCurvatureAreThoseOfTheValue) {
  for (const bool full : {false, true}) {
    for (const int k : {3, 8, 9}) {
      const Problem p(k);
      LinearSoftmax f(p.data, full, {0.03, 0.02, 0.05}, 2);
      std::vector<double> x = f.identity();
      const auto shift = noise(x.size(), 0.2, 3), d = noise(x.size(), 1, 4);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += shift[i];
      std::vector<double> g(x.size()), up = x, down = x, gu(x.size()), gd(x.size()), hd(x.size());
      constexpr double h = 1e-5;
      for (std::size_t i = 0; i < x.size(); ++i) up[i] += h * d[i], down[i] -= h * d[i];
      const double above = f.evaluate(up, gu), below = f.evaluate(down, gd);
      f.evaluate(x, g);
      f.prepare();
      f.curve(d, hd);
      EXPECT_NEAR(dot(g, d), (above - below) / (2 * h), 1e-7) << k << full;
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(hd[i], (gu[i] - gd[i]) / (2 * h), 1e-7) << k << " " << full << " " << i;
    }
  }
}

TEST(LinearSoftmax, TwoStartsOneAnswer) {
  for (const bool full : {false, true}) {
    const Problem p(5);
    LinearSoftmax f(p.data, full, {0, 0.5, 0.2}, 2);
    std::vector<double> a = f.identity(), b = noise(a.size(), 2, 9);
    const Minimum ma = minimise(f, a), mb = minimise(f, b);
    EXPECT_TRUE(ma.converged && mb.converged);
    EXPECT_NEAR(ma.value, mb.value, 1e-12);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-8) << i;
  }
}

// The preconditioner of many classes leads to the same place.
TEST(LinearSoftmax, TheDiagonalPreconditionerConverges) {
  const Problem p(6);
  LinearSoftmax blocks(p.data, true, {0, 0.3, 0.2}, 2), diagonal(p.data, true, {0, 0.3, 0.2}, 2, 0);
  std::vector<double> a = blocks.identity(), b = a;
  EXPECT_TRUE(minimise(blocks, a).converged);
  EXPECT_TRUE(minimise(diagonal, b).converged);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-8) << i;
}

TEST(Kernels, ProductIsTheProduct) {
  for (const std::size_t m : {1u, 4u, 7u}) {
    for (const std::size_t n : {1u, 5u}) {
      const std::size_t stride = 16;
      const auto a = noise(m * n, 1, 1), b = noise(n * stride, 1, 2);
      std::vector<double> c(m * stride, 0.5), t(m * stride, 0.5), at(n * m);
      add_product(a.data(), n, 1, m, n, b.data(), stride, c.data());
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t k = 0; k < n; ++k) at[k * m + i] = a[i * n + k];
      add_product(at.data(), 1, m, m, n, b.data(), stride, t.data());
      EXPECT_EQ(c, t);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < stride; ++j) {
          double sum = 0.5;
          for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * stride + j];
          EXPECT_EQ(c[i * stride + j], sum);
        }
    }
  }
}

TEST(Symmetric, FactorsSolvesAndFindsEigenvectors) {
  constexpr std::size_t n = 6;
  const auto half = noise(n * n, 1, 5);
  std::vector<double> a(n * n), values(n), vectors(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) a[i * n + j] += half[i * n + k] * half[j * n + k];
  const auto x = noise(n, 1, 6);
  std::vector<double> b(n), l = a, rest = a;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i] += a[i * n + j] * x[j];
  factor(l, n, 0);
  solve(l, n, b);
  eigen(rest, n, values, vectors);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(b[i], x[i], 1e-9);
    for (std::size_t r = 0; r < n; ++r) {
      double av = 0;
      for (std::size_t j = 0; j < n; ++j) av += a[r * n + j] * vectors[i * n + j];
      EXPECT_NEAR(av, values[i] * vectors[i * n + r], 1e-9);
    }
  }
}

}  // namespace
}  // namespace plumb::detail
