// The error of a bin's accuracy is the jackknife over units, written out; coarsening reaches its bound.
#include <gtest/gtest.h>

#include <cmath>

#include "column.hpp"

namespace plumb::test {
namespace {

constexpr double kRounding = 1e-12;

/// Leave one unit out: sqrt((n-1)/n sum (p_-u - mean)^2), for units of equal mass.
double jackknife(const std::vector<double>& mass, const std::vector<double>& hits) {
  double m = 0, h = 0, sum = 0;
  const auto n = static_cast<double>(mass.size());
  for (std::size_t u = 0; u < mass.size(); ++u) {
    m += mass[u];
    h += hits[u];
  }
  std::vector<double> left;
  for (std::size_t u = 0; u < mass.size(); ++u) left.push_back((h - hits[u]) / (m - mass[u]));
  double mean = 0;
  for (const double x : left) mean += x / n;
  for (const double x : left) sum += (x - mean) * (x - mean);
  return std::sqrt((n - 1) / n * sum);
}

TEST(BinErrors, SingleVotes) {
  const RandomColumn c = random_column(200, 0, 4);
  const SortedForecasts s = sorted(c.measure, c.hits);
  auto bins = equal_mass_bins(s.view(), 4);
  add_errors(bins, s.view(), {}, 0);
  for (const UncertaintyBin& b : bins) {
    const double p = b.accuracy();
    EXPECT_NEAR(*b.error, std::sqrt(p * (1 - p) / static_cast<double>(b.items - 1)), kRounding);
    if (!b.one_sided()) {
      EXPECT_NEAR(*b.relative_error(), *b.error / std::min(p, 1 - p), kRounding);
    }
  }
}

TEST(BinErrors, GroupsOfEqualMassAreTheJackknife) {
  const RandomColumn c = random_column(120, 1, 4);  // one bin
  std::vector<double> mass(12, 0.0), hits(12, 0.0);
  const SortedForecasts s = sorted(c.measure, c.hits);
  std::vector<std::uint32_t> unit;
  for (const std::uint32_t row : s.order) unit.push_back(row % 12);
  for (std::size_t i = 0; i < 120; ++i) {
    mass[i % 12] += 1;
    hits[i % 12] += c.hits[i];
  }
  auto bins = equal_mass_bins(s.view(), 5);
  ASSERT_EQ(bins.size(), 1u);
  add_errors(bins, s.view(), unit, 12);
  EXPECT_NEAR(*bins[0].error, jackknife(mass, hits), kRounding);
  const std::vector<double> weight(120, 0.5);  // a common weight changes nothing
  const SortedForecasts w = sorted(c.measure, c.hits, {}, weight);
  auto weighted = equal_mass_bins(w.view(), 5);
  add_errors(weighted, w.view(), unit, 12);
  EXPECT_NEAR(*weighted[0].error, *bins[0].error, kRounding);
}

TEST(BinErrors, OneUnitHasNoError) {
  const SortedForecasts s = sorted({1, 1}, {1, 0});
  auto bins = equal_mass_bins(s.view(), 3);
  add_errors(bins, s.view(), std::vector<std::uint32_t>{0, 0}, 1);
  EXPECT_FALSE(bins[0].error.has_value());
  EXPECT_FALSE(bins[0].relative_error().has_value());
}

TEST(BinErrors, CoarsenReachesTheBoundAndKeepsTheSums) {
  const RandomColumn c = random_column(3000, 0, 12);
  const SortedForecasts s = sorted(c.measure, c.hits);
  const auto bins = equal_mass_bins(s.view(), 100);
  for (const double bound : {0.5, 0.2}) {
    const auto coarse = coarsen(bins, s.view(), {}, 0, bound);
    ASSERT_GT(coarse.size(), 1u);
    EXPECT_LT(coarse.size(), bins.size());
    double mass = 0, hits = 0;
    for (const UncertaintyBin& b : coarse) {
      ASSERT_TRUE(b.relative_error().has_value());
      EXPECT_LE(*b.relative_error(), bound);
      mass += b.mass;
      hits += b.hits;
    }
    double want = 0;
    for (const double h : c.hits) want += h;
    EXPECT_EQ(mass, 3000);
    EXPECT_EQ(hits, want);
    // Bins that are fine as they are stay.
    EXPECT_EQ(coarsen(coarse, s.view(), {}, 0, bound).size(), coarse.size());
  }
  EXPECT_EQ(coarsen(bins, s.view(), {}, 0, 1e-6).size(), 1u);
}

}  // namespace
}  // namespace plumb::test
