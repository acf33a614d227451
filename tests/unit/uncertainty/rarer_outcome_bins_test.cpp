// Bins by the rarer outcome against the definition written out, and the odds ratio that is read off them.
#include <gtest/gtest.h>

#include <map>

#include "column.hpp"
#include "plumb/uncertainty/uncertainty.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

/// Mass and hits by bin: floor(B * share of the rarer outcome's mass below).
std::vector<std::pair<double, double>> naive(const std::vector<double>& y, const std::vector<double>& hits,
                                             const std::vector<double>& mass, bool right, int bins) {
  const auto rare = [&](std::size_t i) { return right ? hits[i] : mass[i] - hits[i]; };
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) total += rare(i);
  std::map<int, std::pair<double, double>> by_bin;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double below = 0;
    for (std::size_t j = 0; j < y.size(); ++j) below += y[j] < y[i] ? rare(j) : 0;
    auto& c = by_bin[std::min(bins - 1, static_cast<int>(bins * below / total))];
    c.first += mass[i];
    c.second += hits[i];
  }
  std::vector<std::pair<double, double>> out;
  for (const auto& [bin, sums] : by_bin) out.push_back(sums);
  return out;
}

TEST(RarerOutcome, IsCountedInVotes) {
  const RandomColumn c = random_column(1000, 0, 4);
  double right = 0;
  for (const double h : c.hits) right += h;
  const RarerOutcome r = rarer_outcome(sorted(c.measure, c.hits).view());
  EXPECT_FALSE(r.right);
  EXPECT_EQ(r.votes, 1000 - static_cast<std::int64_t>(right));
  EXPECT_EQ(r.bins, r.votes / 25);
  // Weights do not count, but items of weight 0 are not there.
  std::vector<double> weight(1000, 0.5);
  EXPECT_EQ(rarer_outcome(sorted(c.measure, c.hits, {}, weight).view()).votes, r.votes);
  weight.assign(1000, 0.0);
  EXPECT_EQ(rarer_outcome(sorted(c.measure, c.hits, {}, weight).view()).votes, 0);
  // Right answers are the rarer ones; several votes per item.
  const std::vector<double> trials(4, 5.0);
  const RarerOutcome few = rarer_outcome(sorted({1, 2, 3, 4}, {0, 1, 2, 3}, trials).view());
  EXPECT_TRUE(few.right);
  EXPECT_EQ(few.votes, 6);
  EXPECT_EQ(rarer_outcome(sorted({1, 2}, {0, 1}).view()).right, false) << "equal: the wrong answers";
  std::vector<double> half(10000);
  for (std::size_t i = 0; i < half.size(); ++i) half[i] = i % 2 ? 1.0 : 0.0;
  EXPECT_EQ(rarer_outcome(sorted(half, half).view()).bins, 100) << "at most 100";
}

TEST(RarerOutcomeBins, MatchTheDefinition) {
  for (const int levels : {0, 3, 40})
    for (const int bins : {1, 2, 5, 30})
      for (const bool right : {false, true}) {
        const RandomColumn c = random_column(401, levels, 12);
        const auto got = rarer_outcome_bins(sorted(c.measure, c.hits).view(), {right, 0, bins});
        const auto want = naive(c.measure, c.hits, std::vector<double>(401, 1.0), right, bins);
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t b = 0; b < got.size(); ++b) {
          EXPECT_EQ(got[b].mass, want[b].first) << levels << " " << bins << " " << b;
          EXPECT_EQ(got[b].hits, want[b].second);
        }
      }
}

TEST(RarerOutcomeBins, VotesAndWeightsAreMass) {
  RandomColumn c = random_column(300, 60, 5);
  std::vector<double> trials, weight, mass, hits;
  for (std::size_t i = 0; i < 300; ++i) {
    trials.push_back(static_cast<double>(1 + i % 4));
    c.hits[i] *= static_cast<double>(i % 4);
    weight.push_back(0.25 * static_cast<double>(1 + i % 3));
    mass.push_back(trials[i] * weight[i]);
    hits.push_back(c.hits[i] * weight[i]);
  }
  const auto got = rarer_outcome_bins(sorted(c.measure, c.hits, trials, weight).view(), {false, 0, 7});
  const auto want = naive(c.measure, hits, mass, false, 7);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t b = 0; b < got.size(); ++b) {
    EXPECT_EQ(got[b].mass, want[b].first);
    EXPECT_EQ(got[b].hits, want[b].second);
  }
}

TEST(RarerOutcomeBins, ShareOutTheRarerOutcome) {
  const RandomColumn c = random_column(4000, 0, 8);  // no ties: every bin but the last has the same number
  const RarerOutcome r = rarer_outcome(sorted(c.measure, c.hits).view());
  const auto bins = rarer_outcome_bins(sorted(c.measure, c.hits).view(), r);
  ASSERT_EQ(std::ssize(bins), r.bins);
  for (const auto& b : bins) EXPECT_NEAR(b.mass - b.hits, static_cast<double>(r.votes) / r.bins, 1);
}

/// Binary items whose u1 grows with i and that are wrong where told.
UncertaintyResult run(const std::vector<char>& wrong, UncertaintyOptions o) {
  Simulated s;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    s.z.push_back(1 - 0.5 * static_cast<double>(i) / static_cast<double>(wrong.size()));
    s.votes.push_back({wrong[i] ? 0 : 1});
  }
  o.measures = {"u1"};
  return uncertainty(to_items(s, VoteForm::labels), {}, {}, o);
}

TEST(RarerOutcomeBins, OddsRatioNeedsTwoOfThem) {
  std::vector<char> wrong(1000);
  for (std::size_t i = 0; i < 49; ++i) wrong[i * 20] = 1;
  const UncertaintyResult few = run(wrong, {});
  EXPECT_FALSE(few["u1"]["eor"].value.has_value());
  EXPECT_EQ(few["u1"]["eor"].why, "49 wrong answers; two bins of 25 need 50: add items, or set ⟦bins⟧");
  EXPECT_TRUE(few["u1"]["auroc"].value.has_value());
  wrong[999] = 1;
  const UncertaintyResult enough = run(wrong, {});
  ASSERT_TRUE(enough["u1"]["eor"].value.has_value());
  EXPECT_EQ(enough["u1"].eor_bins, 2);
  // The bins by hand: items up to the 25th wrong one, and the rest.
  std::size_t cut = 0;
  for (int seen = 0; seen < 25; ++cut) seen += wrong[cut];
  const double first = static_cast<double>(cut), a = 0.95, base = a / (1 - a);
  const double o1 = (first - 25) / 25 / base, o2 = (1000 - first - 25) / 25 / base;
  EXPECT_NEAR(*enough["u1"]["eor"].value,
              (first * std::max(o1, 1 / o1) + (1000 - first) * std::max(o2, 1 / o2)) / 1000, 1e-12);
  EXPECT_TRUE(run(wrong, {.bins = 10})["u1"].odds_bins.empty()) << "asked for: equal mass, as for the others";
}

TEST(RarerOutcomeBins, PerfectSeparationHasNoFiniteOddsRatio) {
  std::vector<char> wrong(1000);
  std::fill(wrong.begin() + 800, wrong.end(), 1);
  const UncertaintyResult r = run(wrong, {});
  EXPECT_FALSE(r["u1"]["eor"].value.has_value());
  EXPECT_NE(r["u1"]["eor"].why.find("separates"), std::string::npos);
  EXPECT_EQ(*r["u1"]["auroc_unbinned"].value, 1);
}

TEST(RarerOutcomeBins, IntervalIsOnTheLogScale) {
  RandomStream rng(2, Purpose::demo);
  std::vector<char> wrong(2000);
  for (std::size_t i = 0; i < wrong.size(); ++i)
    wrong[i] = rng.uniform() < 0.3 * static_cast<double>(i) / 2000;
  const MetricResult eor = run(wrong, {.bootstrap = 100})["u1"]["eor"];
  EXPECT_EQ(eor.interval, "log");
  EXPECT_GE(*eor.low, 1);
  EXPECT_LT(*eor.low, *eor.value);
  EXPECT_NEAR(*eor.high / *eor.value, *eor.value / *eor.low, 1e-9);
  EXPECT_EQ(run(wrong, {.bins = 20, .bootstrap = 20})["u1"]["eor"].interval, "percentile");
}

}  // namespace
}  // namespace plumb::test
