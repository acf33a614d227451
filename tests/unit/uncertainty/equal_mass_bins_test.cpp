// Bins against the definition written out: floor(B * share of mass below), ties together, any order.
#include <gtest/gtest.h>

#include <map>

#include "column.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

/// Mass and hits by bin, straight from the definition.
std::vector<std::pair<double, double>> naive(const std::vector<double>& y, const std::vector<double>& hits,
                                             const std::vector<double>& mass, int bins) {
  double total = 0;
  for (const double m : mass) total += m;
  std::map<int, std::pair<double, double>> by_bin;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double below = 0;
    for (std::size_t j = 0; j < y.size(); ++j) below += y[j] < y[i] ? mass[j] : 0;
    auto& c = by_bin[std::min(bins - 1, static_cast<int>(bins * below / total))];
    c.first += mass[i];
    c.second += hits[i];
  }
  std::vector<std::pair<double, double>> out;
  for (const auto& [bin, sums] : by_bin) out.push_back(sums);
  return out;
}

void expect_same(const std::vector<UncertaintyBin>& got, const std::vector<std::pair<double, double>>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t b = 0; b < got.size(); ++b) {
    EXPECT_EQ(got[b].mass, want[b].first) << b;
    EXPECT_EQ(got[b].hits, want[b].second) << b;
  }
}

TEST(EqualMassBins, MatchTheDefinition) {
  for (const int levels : {0, 3, 40})
    for (const int bins : {1, 7, 100, 1000}) {
      const RandomColumn c = random_column(403, levels, 9);
      const std::vector<double> ones(403, 1.0);
      expect_same(equal_mass_bins(sorted(c.measure, c.hits).view(), bins),
                  naive(c.measure, c.hits, ones, bins));
    }
}

TEST(EqualMassBins, VotesAndWeightsAreMass) {
  RandomColumn c = random_column(300, 50, 3);
  std::vector<double> trials, weight, mass, weighted_hits;
  for (std::size_t i = 0; i < 300; ++i) {
    trials.push_back(static_cast<double>(i % 4));  // some items without votes
    c.hits[i] = std::min(c.hits[i] * 3, trials[i]);
    weight.push_back(0.25 * static_cast<double>(1 + i % 3));
    mass.push_back(trials[i] * weight[i]);
    weighted_hits.push_back(c.hits[i] * weight[i]);
  }
  const SortedForecasts s = sorted(c.measure, c.hits, trials, weight);
  const auto bins = equal_mass_bins(s.view(), 20);
  expect_same(bins, naive(c.measure, weighted_hits, mass, 20));
  std::int64_t items = 0, votes = 0;
  for (const auto& b : bins) {
    items += b.items;
    votes += b.votes;
  }
  EXPECT_EQ(items, 225);
  EXPECT_EQ(votes, 450);
}

TEST(EqualMassBins, AnyOrderGivesTheSameBins) {
  const RandomColumn c = random_column(1000, 30, 6);
  std::vector<double> weight;
  for (std::size_t i = 0; i < 1000; ++i) weight.push_back(1.0 / static_cast<double>(1 + i % 7));
  const auto rows = shuffled(1000, 2);
  RandomColumn other;
  std::vector<double> other_weight;
  for (const std::size_t r : rows) {
    other.measure.push_back(c.measure[r]);
    other.hits.push_back(c.hits[r]);
    other_weight.push_back(weight[r]);
  }
  const auto a = equal_mass_bins(sorted(c.measure, c.hits, {}, weight).view(), 25);
  const auto b = equal_mass_bins(sorted(other.measure, other.hits, {}, other_weight).view(), 25);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].mass, b[i].mass);
    EXPECT_EQ(a[i].hits, b[i].hits);
    EXPECT_EQ(a[i].low, b[i].low);
    EXPECT_EQ(a[i].high, b[i].high);
  }
}

TEST(EqualMassBins, MostCertainFirstAndRangesFollowEachOther) {
  const RandomColumn c = random_column(500, 0, 8);
  const auto bins = equal_mass_bins(sorted(c.measure, c.hits).view(), 10);
  ASSERT_EQ(bins.size(), 10u);
  for (std::size_t b = 0; b < bins.size(); ++b) {
    EXPECT_EQ(bins[b].items, 50);
    EXPECT_LE(bins[b].low, bins[b].high);
    if (b > 0) {
      EXPECT_GT(bins[b].low, bins[b - 1].high);
    }
    if (b > 0) {
      EXPECT_EQ(bins[b].end, bins[b - 1].begin);
    }
  }
  EXPECT_GT(bins.front().accuracy(), bins.back().accuracy());
}

TEST(EqualMassBins, OneValueIsOneBin) {
  const auto bins = equal_mass_bins(sorted({2, 2, 2}, {1, 0, 1}).view(), 100);
  ASSERT_EQ(bins.size(), 1u);
  EXPECT_EQ(bins[0].low, 2);
  EXPECT_EQ(bins[0].mass, 3);
  EXPECT_TRUE(equal_mass_bins(sorted({}, {}).view(), 5).empty());
}

}  // namespace
}  // namespace plumb::test
