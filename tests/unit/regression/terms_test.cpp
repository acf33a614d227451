#include "regression/terms.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "plumb/numeric/exact_columns.hpp"
#include "plumb/numeric/simd.hpp"
#include "regression/term_kernels.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

constexpr double kRounding = 4e-16;  // a few operations on numbers near 1

double crps_of(double error, double variance) {
  std::vector<double> sigma(1), abs_err(1), err2(1), abs_z(1), z2(1), half(1), out(1);
  EXPECT_EQ(detail::entry_terms(&error, &variance, 1, sigma.data(), abs_err.data(), err2.data(), abs_z.data(),
                                z2.data(), half.data()),
            0u);
  half[0] = std::exp(half[0]);
  detail::crps_terms(sigma.data(), abs_z.data(), half.data(), 1, out.data());
  return out[0];
}

TEST(Crps, GoldenValuesOfTheStandardNormal) {
  // z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi), 20 digits.
  EXPECT_NEAR(crps_of(0, 1), 0.23369497725510913829, kRounding);
  EXPECT_NEAR(crps_of(1, 1), 0.60244135762761618520, kRounding);
  EXPECT_NEAR(crps_of(-1, 1), 0.60244135762761618520, kRounding);
  EXPECT_NEAR(crps_of(3, 1), 2.4365747250863391, 4 * kRounding);
  EXPECT_NEAR(crps_of(20, 1), 20 - 0.56418958354775628695, 20 * kRounding);
}

TEST(Crps, IsTheIntegralOfTheSquaredDistance) {
  constexpr double kTrapezoid = 1e-6;  // of 200,000 steps over +-40
  for (const double z : {0.0, 0.3, 1.7, 4.0, 8.9, 9.1}) {
    double sum = 0;
    const double step = 80.0 / 200000;
    for (int k = 0; k < 200000; ++k) {
      const double t = -40 + step * (k + 0.5);
      const double f = 0.5 * std::erfc(-t / std::sqrt(2.0)) - (t >= z ? 1 : 0);
      sum += f * f * step;
    }
    EXPECT_NEAR(crps_of(2 * z, 4), 2 * sum, 4 * step) << z;
    EXPECT_NEAR(crps_of(z, 1) * 2, crps_of(2 * z, 4), kTrapezoid) << z;
  }
}

TEST(EntryTerms, ZeroVarianceIsDegenerate) {
  const std::vector<double> e{0, 1, 2, 1e10, -3}, v{0, 0, 4, 1e-300, 9};
  std::vector<double> sigma(5), abs_err(5), err2(5), abs_z(5), z2(5), half(5);
  EXPECT_EQ(detail::entry_terms(e.data(), v.data(), 5, sigma.data(), abs_err.data(), err2.data(),
                                abs_z.data(), z2.data(), half.data()),
            3u);
  EXPECT_EQ(abs_z, (std::vector<double>{0, INFINITY, 1, INFINITY, 1}));
  EXPECT_EQ(z2, (std::vector<double>{0, 0, 1, 0, 1}));
  EXPECT_EQ(err2, (std::vector<double>{0, 1, 4, 1e20, 9}));
}

TEST(EntryTerms, SameBitsOnEveryTarget) {
  const SimulatedRegression s = simulate({.n = 1003, .factor = 2});
  std::vector<double> e;
  for (std::size_t i = 0; i < s.mean.size(); ++i) e.push_back(s.target[i] - s.mean[i]);
  std::vector<std::vector<double>> first;
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    std::vector<std::vector<double>> out(7, std::vector<double>(e.size()));
    (void)detail::entry_terms(e.data(), s.variance.data(), e.size(), out[0].data(), out[1].data(),
                              out[2].data(), out[3].data(), out[4].data(), out[5].data());
    detail::crps_terms(out[0].data(), out[3].data(), out[5].data(), e.size(), out[6].data());
    if (first.empty()) first = out;
    EXPECT_EQ(first, out) << target;
  }
  force_simd_target("");
}

TEST(PlaceBins, BothEndsAreInside) {
  const std::vector<double> x{1, 1.5, 2, 2.5, 3, 0.999, 3.001};
  std::vector<double> bin(x.size());
  detail::place_bins(x.data(), x.size(), 1, 3, 4, bin.data());
  EXPECT_EQ(bin, (std::vector<double>{0, 1, 2, 3, 3, 4, 4}));
  detail::place_bins(x.data(), 1, 1, 1, 4, bin.data());
  EXPECT_EQ(bin[0], 0);
}

TEST(AddColumn, SameBitsAsOneByOne) {
  RandomStream rng(3, Purpose::demo);
  std::vector<double> x, w;
  for (int i = 0; i < 5000; ++i) {
    x.push_back(i % 7 == 0 ? 0.0 : (rng.uniform() - 0.5) * std::exp(40 * (rng.uniform() - 0.5)));
    w.push_back(i % 5 == 0 ? 0.0 : rng.uniform());
  }
  ExactSum plain, fast, weighted, fast_weighted;
  for (std::size_t i = 0; i < x.size(); ++i) {
    plain.add(x[i]);
    weighted.add(x[i] * w[i]);
  }
  add_column(fast, x);
  add_column(fast_weighted, x, w);
  EXPECT_EQ(plain, fast);
  EXPECT_EQ(weighted, fast_weighted);

  std::vector<ExactSum> slow(8), quick(8);
  std::vector<std::uint32_t> bin;
  for (double& v : x) v = std::abs(v);
  for (std::size_t i = 0; i < x.size(); ++i) {
    bin.push_back(static_cast<std::uint32_t>(rng.below(8)));
    slow[bin[i]].add(x[i]);
  }
  add_by_bin(quick, bin, x);
  EXPECT_EQ(slow, quick);
}

}  // namespace
}  // namespace plumb::test
