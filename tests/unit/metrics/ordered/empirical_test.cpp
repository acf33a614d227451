#include "plumb/metrics/ordered/empirical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::test {
namespace {

constexpr double kRounding = 1e-13;  // libm's exp and another order of sums

struct Data {
  std::vector<double> p, y;
};

Data draw(std::size_t n, std::uint64_t seed, bool ties) {
  RandomStream random(seed, Purpose::demo, 0);
  Data d;
  for (std::size_t i = 0; i < n; ++i) {
    const double p = random.uniform();
    d.p.push_back(ties ? std::floor(p * 20) / 20 : p);
    d.y.push_back(random.uniform() < p ? 1.0 : 0.0);
  }
  return d;
}

std::vector<std::size_t> ranks(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

/// Every neighbour by its distance, then its rank; no window.
double naive_kernel(const Data& d, std::size_t i, std::size_t r, double sigma) {
  const std::vector<std::size_t> order = ranks(d.p);
  std::vector<std::size_t> by = order;
  std::stable_sort(by.begin(), by.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(d.p[a] - d.p[i]) < std::abs(d.p[b] - d.p[i]);
  });
  double all = 0, hits = 0;
  for (std::size_t k = 0; k < std::min(r, by.size()); ++k) {
    const double w = std::exp(-std::pow((d.p[by[k]] - d.p[i]) / sigma, 2));
    all += w;
    hits += w * d.y[by[k]];
  }
  return hits / all;
}

TEST(Empirical, BinsAreRunsOfEqualCount) {
  const Data d{{0.9, 0.1, 0.5, 0.2, 0.8, 0.3}, {1, 0, 1, 1, 0, 0}};
  // Ascending: .1 .2 .3 | .5 .8 .9 with outcomes 0 1 0 | 1 0 1.
  EXPECT_EQ(empirical_by_bins(d.p, d.y, 2),
            (std::vector<double>{2.0 / 3, 1.0 / 3, 2.0 / 3, 1.0 / 3, 2.0 / 3, 1.0 / 3}));
  EXPECT_EQ(empirical_by_bins(d.p, d.y, 6), d.y);
  EXPECT_EQ(empirical_by_bins(d.p, d.y, 100), d.y);
}

TEST(Empirical, BinsKeepTheMeanOutcome) {
  const Data d = draw(1000, 3, false);
  const std::vector<double> e = empirical_by_bins(d.p, d.y, 7);
  EXPECT_NEAR(std::accumulate(e.begin(), e.end(), 0.0), std::accumulate(d.y.begin(), d.y.end(), 0.0), 1e-9);
}

TEST(Empirical, KernelAgreesWithAllDistances) {
  for (const bool ties : {false, true}) {
    const Data d = draw(1500, 4, ties);  // more than one block
    const std::vector<double> e = empirical_by_kernel(d.p, d.y, 41, 0.07);
    for (std::size_t i = 0; i < d.p.size(); i += 13) {
      EXPECT_NEAR(e[i], naive_kernel(d, i, 41, 0.07), kRounding) << i;
    }
  }
}

TEST(Empirical, AWideKernelOverAllIsTheMean) {
  const Data d = draw(200, 5, true);
  const double mean = std::accumulate(d.y.begin(), d.y.end(), 0.0) / 200;
  for (const double e : empirical_by_kernel(d.p, d.y, 1000, 1e9)) EXPECT_NEAR(e, mean, kRounding);
  const Data distinct = draw(200, 5, false);
  EXPECT_EQ(empirical_by_kernel(distinct.p, distinct.y, 1, 0.1), distinct.y) << "alone with itself";
}

TEST(Empirical, SameForAnyThreads) {
  const Data d = draw(5000, 6, true);
  EXPECT_EQ(empirical_by_kernel(d.p, d.y, 60, 0.05, 1), empirical_by_kernel(d.p, d.y, 60, 0.05, 4));
}

TEST(Empirical, BadOptionsAreRefused) {
  const Data d = draw(3, 7, false);
  EXPECT_THROW((void)empirical_by_bins(d.p, d.y, 0), InputError);
  EXPECT_THROW((void)empirical_by_kernel(d.p, d.y, 0, 0.1), InputError);
  EXPECT_THROW((void)empirical_by_kernel(d.p, d.y, 2, 0.0), InputError);
  EXPECT_THROW((void)empirical_by_kernel(d.p, std::vector<double>{1}, 2, 0.1), InputError);
  EXPECT_TRUE(empirical_by_kernel({}, {}, 2, 0.1).empty());
}

}  // namespace
}  // namespace plumb::test
