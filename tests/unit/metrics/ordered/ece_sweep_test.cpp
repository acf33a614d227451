#include <gtest/gtest.h>

#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// Weighted sums round products item by item here and bin by bin there.
constexpr double kTolerance = 1e-15;

struct Sweep {
  double value;
  int bins;
};

// Reference: a full table for every B.
Sweep naive_sweep(const Column& c) {
  const int most = static_cast<int>(distinct_p(c).size());
  int bins = 1;
  for (; bins < most; ++bins) {
    const ReliabilityTable t = equal_mass_table(c.view(), bins + 1);
    bool rises = true;
    for (std::size_t b = 1; b < t.bins.size(); ++b) {
      rises = rises && t.bins[b].mean_y() >= t.bins[b - 1].mean_y() - 1e-14;
    }
    if (!rises) break;
  }
  return {*ece(equal_mass_table(c.view(), bins)).value, bins};
}

void expect_naive(const Column& c, const std::string& what) {
  const Sweep naive = naive_sweep(c);
  int bins = -1;
  const Estimate e = ece_sweep(c.view(), &bins);
  EXPECT_EQ(bins, naive.bins) << what;
  EXPECT_NEAR(*e.value, naive.value, kTolerance) << what;
}

TEST(EceSweep, IsTheDefinition) {
  for (ColumnOptions o : kinds()) {
    // Larger n so that bins straddle the places where sums are kept.
    for (const std::size_t n : {o.n, 7 * o.n, std::size_t{64}, std::size_t{640}}) {
      o.n = n;
      expect_naive(random_column(o), "seed " + std::to_string(o.seed) + ", n " + std::to_string(n));
    }
  }
}

TEST(EceSweep, RealHits) {
  Column c = random_column({.n = 900, .most_trials = 4, .seed = 51});
  c.whole_counts = false;
  std::mt19937_64 rng(52);
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double expected = c.trials[i] * c.p[i];
    c.hits[i] = expected + (rng() % 2 == 0 ? 1.0 : -1.0) * (c.hits[i] - expected);
  }
  expect_naive(c, "sign flips");
}

TEST(EceSweep, SeparatedDataUseEveryItem) {
  Column c;
  for (int i = 0; i < 500; ++i) {
    c.p.push_back((i + 0.5) / 500);
    c.hits.push_back(i >= 260);
  }
  int bins = 0;
  const Estimate e = ece_sweep(c.view(), &bins);
  EXPECT_EQ(bins, 500);
  EXPECT_NEAR(*e.value, *ece(equal_mass_table(c.view(), 500)).value, kTolerance);
  c.hits.assign(500, 0.0);
  expect_naive(c, "no hits");
  c.hits.assign(500, 1.0);
  expect_naive(c, "all hits");
}

// Out of order only in a narrow window: the sweep goes far, and looks at the window alone.
TEST(EceSweep, NearlySeparatedData) {
  for (const int gap : {1, 2, 5, 20, 60}) {
    for (const int at : {60, 300, 510}) {
      Column c;
      for (int i = 0; i < 600; ++i) {
        c.p.push_back((i + 0.5) / 600);
        c.hits.push_back(i >= at);
      }
      std::swap(c.hits[static_cast<std::size_t>(at - gap)], c.hits[static_cast<std::size_t>(at + gap - 1)]);
      expect_naive(c, "gap " + std::to_string(gap) + ", at " + std::to_string(at));
    }
  }
}

TEST(EceSweep, LongRunsOfTies) {
  Column c;
  std::mt19937_64 rng(53);
  for (const double p : {0.1, 0.3, 0.31, 0.7, 0.9}) {
    for (int i = 0; i < 200; ++i) {
      c.p.push_back(p);
      c.hits.push_back(static_cast<double>(rng() % 10 < static_cast<std::uint64_t>(10 * p)));
    }
  }
  expect_naive(c, "ties");
  int bins = 0;
  ASSERT_TRUE(ece_sweep(c.view(), &bins));
  EXPECT_LE(bins, 5);
}

TEST(EceSweep, OneItem) {
  const Column c{.p = {0.3}, .hits = {1}, .trials = {}, .weight = {}, .times = {}};
  int bins = 0;
  EXPECT_NEAR(*ece_sweep(c.view(), &bins).value, 0.7, kTolerance);
  EXPECT_EQ(bins, 1);
}

}  // namespace
}  // namespace plumb::test
