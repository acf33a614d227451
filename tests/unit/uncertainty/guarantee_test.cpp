// Thresholds with a guarantee: the tests behind them against sums and products written out, edges,
// invariance. How often they fail on new items is measured in tests/laws/uncertainty.cpp.
#include "plumb/uncertainty/guarantee.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "column.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

double naive_binomial(int k, int n, double p) {
  double sum = 0;
  for (int j = 0; j <= k; ++j) {
    double term = 1;
    for (int i = 0; i < j; ++i) term *= p * (n - i) / (i + 1);
    sum += term * std::pow(1 - p, n - j);
  }
  return sum;
}

TEST(Guarantee, BinomialTail) {
  for (const int n : {1, 7, 60, 300})
    for (const double p : {0.01, 0.05, 0.5, 0.9})
      for (const int k : {0, 1, n / 20, n / 2, n})
        EXPECT_NEAR(binomial_at_most(k, n, p), naive_binomial(k, n, p), 1e-11)
            << k << " of " << n << ", " << p;
  EXPECT_EQ(binomial_at_most(3, 3, 0.2), 1);
  EXPECT_EQ(binomial_at_most(0, 10, 0), 1);
  EXPECT_EQ(binomial_at_most(2, 10, 1), 0);
  EXPECT_NEAR(binomial_at_most(268, 600, 0.001), 1, 1e-12) << "far above the mean";
  EXPECT_EQ(binomial_at_most(1, 100'000, 0.5), 0) << "far below it";
  EXPECT_NEAR(binomial_at_most(50'000, 1'000'000, 0.05), 0.5, 0.002);
}

/// The procedure for single votes without ties, as the header describes it.
std::optional<double> naive(const std::vector<double>& hits, double target, double confidence) {
  const int n = static_cast<int>(hits.size());
  const double level = 1 - confidence;
  const int first =
      std::clamp(static_cast<int>(std::ceil(100 * std::log(level / 4) / std::log(target) / n)), 10, 100);
  std::optional<double> kept;
  double carried = 0;
  for (int step = first; step <= 100; ++step) {
    for (int s = 0; s < 4; ++s) carried += step == first + (100 - first) * s / 4 ? level / 4 : 0;
    if (carried == 0) continue;
    const int size = (n * step + 99) / 100;
    int wrong = 0;
    for (int i = 0; i < size; ++i) wrong += hits[i] == 0;
    if (naive_binomial(wrong, size, 1 - target) > carried) {
      carried = 0;
    } else {
      kept = size;
    }
  }
  return kept;
}

TEST(Guarantee, MatchesTheProcedureWrittenOut) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomStream rng(seed, Purpose::demo);
    std::vector<double> measure, hits;
    for (int i = 0; i < 1000; ++i) {
      measure.push_back(i);
      hits.push_back(rng.uniform() < 0.99 - 0.3 * i / 1000 * i / 1000 ? 1.0 : 0.0);
    }
    for (const double target : {0.9, 0.95, 0.99}) {
      const std::vector<double> targets{target};
      const Guarantee g = guaranteed_thresholds(sorted(measure, hits).view(), {}, 0, targets, 0.95).front();
      const auto want = naive(hits, target, 0.95);
      ASSERT_EQ(g.value.has_value(), want.has_value()) << seed << " " << target;
      if (!want) continue;
      ++found;
      EXPECT_NEAR(g.share, *want / 1000, 1e-12) << seed << " " << target;
      int below = 0;
      for (const double y : measure) below += y < *g.value;
      EXPECT_EQ(below, *want);
      EXPECT_GE(*g.accuracy, target);
    }
  }
  EXPECT_GT(found, 12);
}

TEST(Guarantee, TiesStayTogetherAndEverythingCanBeKept) {
  std::vector<double> measure, hits(400, 1.0);
  for (int i = 0; i < 400; ++i) measure.push_back(i % 3);
  const std::vector<double> targets{0.95};
  const Guarantee all = guaranteed_thresholds(sorted(measure, hits).view(), {}, 0, targets, 0.95).front();
  EXPECT_EQ(all.share, 1);
  EXPECT_GT(*all.value, 2);
  for (int i = 0; i < 400; ++i)
    if (i % 3 == 2) hits[i] = i % 2;  // half of the most uncertain value is wrong
  const Guarantee part = guaranteed_thresholds(sorted(measure, hits).view(), {}, 0, targets, 0.95).front();
  EXPECT_EQ(*part.value, 2);
  EXPECT_EQ(*part.accuracy, 1);
}

TEST(Guarantee, TooFewOrAllWrongGiveNone) {
  const std::vector<double> targets{0.95, 1.0};
  EXPECT_EQ(least_units(0.95, 0.95), 86);
  for (const int n : {0, 1, 50}) {
    const std::vector<double> measure(n, 1.0), hits(n, 1.0);
    for (const Guarantee& g : guaranteed_thresholds(sorted(measure, hits).view(), {}, 0, targets, 0.95)) {
      EXPECT_FALSE(g.value.has_value()) << n;
      EXPECT_EQ(g.share, 0);
    }
  }
  std::vector<double> measure(1000), hits(1000, 0.0);
  for (int i = 0; i < 1000; ++i) measure[i] = i;
  EXPECT_FALSE(
      guaranteed_thresholds(sorted(measure, hits).view(), {}, 0, targets, 0.95)[0].value.has_value());
}

TEST(Guarantee, GroupsAreTheUnits) {
  // 2,000 right answers of 40 groups prove less than 2,000 of as many items:
  // one group in twenty may be wrong.
  std::vector<double> measure, hits(2000, 1.0);
  for (int i = 0; i < 2000; ++i) measure.push_back(i);
  const SortedForecasts s = sorted(measure, hits);
  const std::vector<double> targets{0.95};
  const auto units = [&](std::uint32_t groups) {
    std::vector<std::uint32_t> unit;
    for (const std::uint32_t at : s.order) unit.push_back(at % groups);
    return guaranteed_thresholds(s.view(), unit, groups, targets, 0.95).front();
  };
  EXPECT_FALSE(units(40).value.has_value());
  EXPECT_TRUE(units(200).value.has_value());
  EXPECT_TRUE(guaranteed_thresholds(s.view(), {}, 0, targets, 0.95).front().value.has_value());
}

TEST(Guarantee, AFactorOfTheWeightsChangesNothing) {
  const RandomColumn c = random_column(1500, 0, 3);
  std::vector<double> weight, scaled;
  for (int i = 0; i < 1500; ++i) {
    weight.push_back(1 + i % 2);
    scaled.push_back(8 * weight.back());
  }
  const std::vector<double> targets{0.85};
  const Guarantee a =
      guaranteed_thresholds(sorted(c.measure, c.hits, {}, weight).view(), {}, 0, targets, 0.9)[0];
  const Guarantee b =
      guaranteed_thresholds(sorted(c.measure, c.hits, {}, scaled).view(), {}, 0, targets, 0.9)[0];
  ASSERT_TRUE(a.value.has_value());
  EXPECT_EQ(a.value, b.value);
  // All the same: as no weights.
  const std::vector<double> same(1500, 0.25);
  EXPECT_EQ(guaranteed_thresholds(sorted(c.measure, c.hits, {}, same).view(), {}, 0, targets, 0.9)[0].value,
            guaranteed_thresholds(sorted(c.measure, c.hits).view(), {}, 0, targets, 0.9)[0].value);
}

}  // namespace
}  // namespace plumb::test
