#include "plumb/metrics/kernel/kde_bandwidth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "reference.hpp"

namespace plumb {
namespace {

using reference::column;
using reference::Real;

// The objective is computed to 1e-6.
constexpr double kObjective = 2e-6;

// The definition: each p in (0, 1) is predicted from the votes with other p.
Real log_likelihood(const std::vector<double>& p, const std::vector<double>& mass, double h) {
  std::map<double, Real> at;
  Real total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) at[p[i]] += mass[i], total += mass[i];
  std::map<double, Real> norm;
  for (const auto& [q, m] : at) norm[q] = reference::log_norm(q, h);
  Real sum = 0, weight = 0;
  for (const auto& [x, own] : at) {
    if (x == 0 || x == 1) continue;
    const Real log_x = std::log(static_cast<Real>(x)), log_rest = std::log1p(-static_cast<Real>(x));
    const auto log_k = [&](double q) { return norm[q] + reference::log_power(log_x, log_rest, q, h); };
    Real top = -std::numeric_limits<Real>::infinity();
    for (const auto& [q, m] : at) {
      if (q != x) top = std::max(top, log_k(q));
    }
    Real density = 0;
    for (const auto& [q, m] : at) {
      if (q != x) density += m * std::exp(log_k(q) - top);
    }
    sum += own * (top + std::log(density / (total - own)));
    weight += own;
  }
  return sum / weight;
}

TEST(KdeBandwidth, ObjectiveAgreesWithTheDefinition) {
  for (const std::string kind : {"uniform", "bimodal", "rounded", "ends", "outlier", "ladder"}) {
    const std::vector<double> p = column(kind, 120, 21), y(120, 0.0);
    RandomStream r(5, Purpose::demo);
    std::vector<double> w(120), ones(120, 1.0);
    for (double& x : w) x = 0.1 + r.uniform();
    for (double h : {1e-4, 0.003, 0.05, 1.0}) {
      const auto plain = static_cast<double>(log_likelihood(p, ones, h));
      const auto weighted = static_cast<double>(log_likelihood(p, w, h));
      EXPECT_NEAR(kde_log_likelihood({p, y, {}, {}, {}, true}, h), plain, kObjective * (1 + std::abs(plain)))
          << kind << h;
      EXPECT_NEAR(kde_log_likelihood({p, y, {}, w, {}, true}, h), weighted,
                  kObjective * (1 + std::abs(weighted)))
          << kind << h;
    }
  }
}

TEST(KdeBandwidth, FindsTheMaximum) {
  for (const std::string kind : {"uniform", "bimodal", "outlier"}) {
    const std::vector<double> p = column(kind, 120, 30), y(120, 0.0), ones(120, 1.0);
    const Bandwidth best = kde_bandwidth({p, y, {}, {}, {}, true});
    Real most = -std::numeric_limits<Real>::infinity();
    for (int i = 0; i <= 100; ++i)
      most = std::max(most, log_likelihood(p, ones, std::pow(10.0, -4 + 0.04 * i)));
    // No value of the scan beats it by more than golden section may miss.
    EXPECT_GT(best.objective, static_cast<double>(most) - 1e-4) << kind;
    EXPECT_GE(best.value, 1e-4);
    EXPECT_LE(best.value, 1.0);
    EXPECT_TRUE(best.why.empty());
  }
}

// Copies of the data say nothing about the density between them: they must not drive h to 0.
TEST(KdeBandwidth, CopiesDoNotMatter) {
  const std::vector<double> p = column("uniform", 300, 33), y(300, 0.0);
  std::vector<double> twice = p, no_hits(600, 0.0);
  twice.insert(twice.end(), p.begin(), p.end());
  EXPECT_NEAR(kde_bandwidth({p, y, {}, {}, {}, true}).value,
              kde_bandwidth({twice, no_hits, {}, {}, {}, true}).value, 1e-6);
}

TEST(KdeBandwidth, SameBitsForAnyOrderAndThreads) {
  const std::vector<double> p = column("rounded", 30000, 34), y(30000, 0.0);
  std::vector<double> jitter = p;
  RandomStream r(6, Purpose::demo);
  for (double& x : jitter) x = 0.9 * x + 0.01 * r.uniform();
  const double one = kde_log_likelihood({jitter, y, {}, {}, {}, true}, 0.01, 1);
  const auto shuffled = reference::gathered(jitter, reference::shuffled(jitter.size(), 2));
  for (int threads : {1, 2, 16})
    EXPECT_EQ(one, kde_log_likelihood({shuffled, y, {}, {}, {}, true}, 0.01, threads));
}

TEST(KdeBandwidth, UndeterminedIsSaid) {
  const std::vector<double> y(3, 0.0), equal(3, 0.4), ends{0.0, 1.0, 1.0};
  for (const auto& p : {equal, ends}) {
    const Bandwidth b = kde_bandwidth({p, y, {}, {}, {}, true});
    EXPECT_EQ(b.value, 1.0);
    EXPECT_FALSE(b.why.empty());
  }
  EXPECT_TRUE(std::isnan(kde_log_likelihood({equal, y, {}, {}, {}, true}, 0.1)));
}

}  // namespace
}  // namespace plumb
