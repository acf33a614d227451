#include "plumb/metrics/kernel/smece.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/numeric/simd.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

// Residual and mass per vote, smoothed at t by the reflected Gaussian: images at 2m + p and 2m - p.
struct Smoothed {
  double residual = 0, mass = 0;
};
Smoothed smoothed(const ForecastsView& f, double t, double sigma) {
  Smoothed s;
  double total = 0;
  const int images = 1 + static_cast<int>(std::ceil(5 * sigma));
  for (std::size_t i = 0; i < f.size(); ++i) {
    double k = 0;
    for (int m = -images; m <= images; ++m) {
      for (double q : {2.0 * m + f.p[i], 2.0 * m - f.p[i]})
        k += std::exp(-0.5 * (t - q) * (t - q) / (sigma * sigma));
    }
    k /= sigma * std::sqrt(2 * std::acos(-1.0));
    const double w = f.weight_of(i), n = f.trials_of(i);
    s.residual += w * (f.hits[i] - n * f.p[i]) * k;
    s.mass += w * n * k;
    total += w * n;
  }
  return {s.residual / total, s.mass / total};
}

// The midpoint rule on a dense grid. Its error at a sign change of slope s is about s/(8 n^2), some
// 1e-6 here.
constexpr int kPoints = 2000;
constexpr double kDense = 1e-5;
double dense(const ForecastsView& f, double sigma) {
  double sum = 0;
  for (int i = 0; i < kPoints; ++i)
    sum += std::abs(smoothed(f, (i + 0.5) / kPoints, sigma).residual) / kPoints;
  return sum;
}

SmoothSums sums_of(const ForecastsView& f, int threads = 1) { return smooth_sums(pass_over(f, threads)); }

TEST(Smece, AgreesWithDenseIntegrationAtAnyBandwidth) {
  for (const std::string kind : {"uniform", "bimodal", "rounded", "ends", "outlier", "saturated"}) {
    const std::vector<double> p = reference::column(kind, 40, 61), y = reference::outcomes(p, 61);
    RandomStream r(6, Purpose::demo);
    std::vector<double> n, h, w;
    for (double v : y) {
      n.push_back(1 + static_cast<double>(r.below(3)));
      h.push_back(v * n.back());
      w.push_back(0.1 + r.uniform());
    }
    for (double sigma : {1.0, 0.33, 0.1, 0.0625, 0.03, 0.011}) {
      const ForecastsView plain{p, y, {}, {}, {}, true}, full{p, h, n, w, {}, true};
      EXPECT_NEAR(*smece_at(sums_of(plain), sigma).value, dense(plain, sigma), kDense)
          << kind << ' ' << sigma;
      EXPECT_NEAR(*smece_at(sums_of(full), sigma).value, dense(full, sigma), kDense) << kind << ' ' << sigma;
    }
  }
}

// One place: the smoothed residual has one sign, so its integral is the mean residual at every bandwidth.
TEST(Smece, OfOnePlaceIsItsResidual) {
  for (double p : {0.0, 1e-9, 0.3, 0.5, 0.7215, 1.0}) {
    const std::vector<double> at(4, p), y{1, 0, 0, 1};
    const ForecastsView f{at, y, {}, {}, {}, true};
    for (double sigma : {SmoothSums::kSmallestSigma, 0.001, 0.02, 1.0}) {
      EXPECT_NEAR(*smece_at(sums_of(f), sigma).value, std::abs(0.5 - p), 1e-12) << p << ' ' << sigma;
    }
    if (p == 0.5) continue;
    EXPECT_NEAR(*smece(f).smece.value, std::abs(0.5 - p), 1e-12) << p;
    EXPECT_NEAR(smece(f).sigma, std::abs(0.5 - p), 1e-12) << p;
  }
}

// Residuals r and -r at distance d, far from both ends: the two Gaussians cancel but for erf(d /
// (2 sqrt(2) sigma)).
TEST(Smece, GoldenOfTwoPlaces) {
  for (double sigma : {SmoothSums::kSmallestSigma, 0.001, 0.0037, 0.03}) {
    for (double d : {0.3 * sigma, 2 * sigma, 20 * sigma}) {
      const std::vector<double> p{0.31, 0.31 + d}, hits{0.31 + 0.25, 0.31 + d - 0.25};
      const double want = 0.25 * std::erf(d / (2 * std::sqrt(2.0) * sigma));
      EXPECT_NEAR(*smece_at(sums_of({p, hits, {}, {}, {}, false}), sigma).value, want, 5e-12)
          << sigma << ' ' << d;
    }
  }
}

TEST(Smece, IsAFixedPoint) {
  for (const std::string kind : {"uniform", "bimodal", "two clusters", "ends"}) {
    for (std::size_t n : {30u, 3000u}) {
      const std::vector<double> p = reference::column(kind, n, 62);
      RandomStream r(7, Purpose::demo);
      std::vector<double> y;
      for (double q : p) y.push_back(r.uniform() < q ? 1 : 0);
      const SmoothSums sums = sums_of({p, y, {}, {}, {}, true});
      const SmoothError e = smece(sums);
      if (e.sigma == SmoothSums::kSmallestSigma) continue;
      EXPECT_EQ(*e.smece.value, e.sigma);
      EXPECT_NEAR(*smece_at(sums, e.sigma).value, e.sigma, 1e-11) << kind << n;
      // The error falls as the bandwidth grows, or stays.
      EXPECT_GE(*smece_at(sums, 0.5 * e.sigma).value, e.sigma - 1e-14) << kind << n;
      EXPECT_LE(*smece_at(sums, std::min(1.0, 2 * e.sigma)).value, e.sigma + 1e-14) << kind << n;
    }
  }
}

// Residuals of 1e-6 everywhere: the fixed point lies below the narrowest kernel, and the value is right all
// the same.
TEST(Smece, BelowTheNarrowestKernel) {
  const std::vector<double> p(100, 1e-6), y(100, 0.0);
  const SmoothError e = smece({p, y, {}, {}, {}, true});
  EXPECT_EQ(e.sigma, SmoothSums::kSmallestSigma);
  EXPECT_NEAR(*e.smece.value, 1e-6, 1e-15);
}

TEST(Smece, SameBitsForAnyOrderSplitThreadsAndTarget) {
  const std::vector<double> p = reference::column("saturated", 20000, 63), y = reference::outcomes(p, 63);
  const auto order = reference::shuffled(p.size(), 3);
  const auto p2 = reference::gathered(p, order), y2 = reference::gathered(y, order);
  const ForecastsView f{p2, y2, {}, {}, {}, true};
  const SmoothSums one = sums_of({p, y, {}, {}, {}, true});
  EXPECT_EQ(one, sums_of(f, 5));
  SmoothSums merged = sums_of(f.slice(0, 7000));
  merged.merge(sums_of(f.slice(7000, 13000)));
  EXPECT_EQ(one, merged);
  const double value = *smece(one).smece.value;
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    EXPECT_EQ(value, *smece(f, 2).smece.value) << target;
  }
  force_simd_target("");
}

TEST(Smece, CurveAgreesWithTheDefinition) {
  const std::vector<double> p = reference::column("bimodal", 300, 64), y = reference::outcomes(p, 64);
  const ForecastsView f{p, y, {}, {}, {}, true};
  for (double sigma : {0.02, 0.2}) {
    for (const CurvePoint& c : smooth_curve(sums_of(f), sigma, even_grid(50))) {
      const Smoothed s = smoothed(f, c.p, sigma);
      EXPECT_NEAR(c.density, s.mass, 1e-11) << c.p;
      // hits = residual + p, smoothed: only at the grid point itself is p known, so compare
      // through the definition.
      double hits = 0, mass = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const std::vector<double> one{p[i]}, zero{0.0};
        const double k = smoothed({one, zero, {}, {}, {}, true}, c.p, sigma).mass;
        hits += k * y[i], mass += k;
      }
      ASSERT_TRUE(c.estimate);
      EXPECT_NEAR(*c.estimate, hits / mass, 1e-9) << c.p;
    }
  }
}

TEST(Smece, CurveIsAbsentFarFromTheData) {
  const std::vector<double> p(5, 0.1), y(5, 1.0);
  const auto curve = smooth_curve(sums_of({p, y, {}, {}, {}, true}), 0.01, std::vector<double>{0.1, 0.9});
  EXPECT_NEAR(*curve[0].estimate, 1.0, 1e-12);
  EXPECT_FALSE(curve[1].estimate);
}

TEST(Smece, Edges) {
  const std::vector<double> none, p{0.0, 1.0}, y{0, 1};
  EXPECT_FALSE(smece({none, none, {}, {}, {}, true}).smece);
  EXPECT_FALSE(smece_at(SmoothSums{}, 0.1));
  EXPECT_NEAR(*smece({p, y, {}, {}, {}, true}).smece.value, 0.0, 1e-15);
}

TEST(Smece, WeightTwoIsTheRowTwice) {
  const std::vector<double> p = reference::column("uniform", 100, 65), y = reference::outcomes(p, 65),
                            two(100, 2.0);
  std::vector<double> p2 = p, y2 = y;
  p2.insert(p2.end(), p.begin(), p.end());
  y2.insert(y2.end(), y.begin(), y.end());
  EXPECT_NEAR(*smece({p, y, {}, two, {}, true}).smece.value, *smece({p2, y2, {}, {}, {}, true}).smece.value,
              1e-12);
}

}  // namespace
}  // namespace plumb
