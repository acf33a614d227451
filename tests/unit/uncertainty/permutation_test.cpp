// The null of the odds ratio: exact draws, and the same answer dealt by bin and permuted item by item.
#include "plumb/uncertainty/permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "column.hpp"
#include "plumb/uncertainty/bin_scores.hpp"

namespace plumb::test {
namespace {

double choose(int n, int k) {
  double x = 1;
  for (int i = 0; i < k; ++i) x = x * (n - i) / (i + 1);
  return x;
}

TEST(Permutation, HypergeometricSharesOfTheUnitInterval) {
  // A fine grid of uniforms must fall to each value as often as its probability, exactly to the grid's step.
  constexpr int kGrid = 20000;
  for (const auto& [total, marked, drawn] : {std::tuple{20, 7, 6}, {12, 10, 9}, {50, 3, 25}}) {
    std::vector<double> share(static_cast<std::size_t>(drawn) + 1, 0.0);
    for (int g = 0; g < kGrid; ++g)
      share[static_cast<std::size_t>(draw_hypergeometric(total, marked, drawn, (g + 0.5) / kGrid))] +=
          1.0 / kGrid;
    for (int x = 0; x <= drawn; ++x) {
      const double want = x <= marked && drawn - x <= total - marked
                              ? choose(marked, x) * choose(total - marked, drawn - x) / choose(total, drawn)
                              : 0;
      EXPECT_NEAR(share[static_cast<std::size_t>(x)], want, 2.0 / kGrid)
          << total << " " << marked << " " << x;
    }
  }
  EXPECT_EQ(draw_hypergeometric(10, 10, 4, 0.3), 4);
  EXPECT_EQ(draw_hypergeometric(10, 0, 4, 0.3), 0);
}

TEST(Permutation, DealingKeepsSizesAndTotals) {
  const RandomColumn c = random_column(1000, 0, 2);
  auto bins = equal_mass_bins(sorted(c.measure, c.hits).view(), 30);
  const auto before = bins;
  RandomStream random(1, Purpose::sample);
  deal_outcomes(bins, random);
  double right = 0, want = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    EXPECT_EQ(bins[b].mass, before[b].mass);
    EXPECT_LE(bins[b].hits, bins[b].mass);
    right += bins[b].hits;
    want += before[b].hits;
  }
  EXPECT_EQ(right, want);
}

TEST(Permutation, DealtAndPermutedNullsAgree) {
  constexpr int kDraws = 400;
  const RandomColumn c = random_column(2000, 0, 7);
  const SortedForecasts s = sorted(c.measure, c.hits);
  const auto bins = equal_mass_bins(s.view(), 40);
  const double a = base_accuracy(bins);
  double sum[2] = {}, squares[2] = {};
  PermutedColumn column;
  for (int r = 0; r < kDraws; ++r) {
    RandomStream one(3, Purpose::sample, static_cast<std::uint32_t>(r)),
        two(4, Purpose::sample, static_cast<std::uint32_t>(r));
    auto dealt = bins;
    deal_outcomes(dealt, one);
    column.permute(s.view(), {}, two);
    const double x[2] = {
        *expected_odds_ratio(dealt, a, Degenerate::pool).eor.value,
        *expected_odds_ratio(equal_mass_bins(column.view(), 40), a, Degenerate::pool).eor.value};
    for (int i = 0; i < 2; ++i) {
      sum[i] += x[i] / kDraws;
      squares[i] += x[i] * x[i] / kDraws;
    }
  }
  const double spread = std::sqrt((squares[0] - sum[0] * sum[0] + squares[1] - sum[1] * sum[1]) / kDraws);
  EXPECT_NEAR(sum[0], sum[1], 4 * spread);
  EXPECT_GT(sum[0], 1.1) << "chance alone scores above 1";
}

TEST(Permutation, NotesValueOfAUselessMeasure) {  // 1.6 at N = 1e4, 100 bins, accuracy .95
  std::vector<UncertaintyBin> bins(100);
  double sum = 0;
  for (int r = 0; r < 100; ++r) {
    for (UncertaintyBin& b : bins) {
      b.mass = 100;
      b.hits = 95;
    }
    RandomStream random(1, Purpose::sample, static_cast<std::uint32_t>(r));
    deal_outcomes(bins, random);
    sum += *expected_odds_ratio(bins, .95, Degenerate::pool).eor.value / 100;
  }
  EXPECT_NEAR(sum, 1.6, 0.05);
}

TEST(Permutation, MovesOutcomesTogether) {
  const SortedForecasts s = sorted({1, 2, 3, 4}, {1, 2, 3, 4}, {2, 3, 4, 5}, {10, 20, 30, 40});
  PermutedColumn column;
  RandomStream random(1, Purpose::sample);
  const std::vector<std::uint32_t> unit{4, 3, 2, 1};
  column.permute(s.view(), unit, random);
  const ForecastsView v = column.view();
  std::vector<double> hits(v.hits.begin(), v.hits.end());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(v.trials[i], v.hits[i] + 1);
    EXPECT_EQ(v.weight[i], 10 * v.hits[i]);
    EXPECT_EQ(static_cast<double>(column.unit()[i]), v.hits[i]);
    EXPECT_EQ(v.p[i], s.view().p[i]);
  }
  std::sort(hits.begin(), hits.end());
  EXPECT_EQ(hits, (std::vector<double>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace plumb::test
