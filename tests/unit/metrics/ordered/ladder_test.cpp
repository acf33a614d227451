#include "plumb/metrics/ordered/ladder.hpp"

#include <gtest/gtest.h>

#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/ks.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb {
namespace {

using test::Column;

Column votes(std::size_t n, int levels, std::uint64_t seed) {
  return test::random_column({.n = n, .levels = levels, .most_trials = 3, .seed = seed});
}

Ladder ladder_of(const Column& c, std::size_t most = Ladder::kMostDistinct) {
  Ladder out(most);
  out.add(c.view());
  return out;
}

void expect_same(const Ladder& a, const Ladder& b) {
  EXPECT_EQ(a.exact(), b.exact());
  const Forecasts x = a.column(), y = b.column();
  EXPECT_EQ(x.p, y.p);
  EXPECT_EQ(x.hits, y.hits);
  EXPECT_EQ(x.trials, y.trials);
}

TEST(Ladder, PartsMakeTheSameLadder) {
  for (const std::size_t most : {std::size_t{20}, Ladder::kMostDistinct}) {
    const Ladder a = ladder_of(votes(2000, 40, 3), most);
    EXPECT_EQ(a.exact(), most > 40);
    Ladder b = Ladder::from_parts(a.parts());
    expect_same(a, b);
    Ladder twice = a;
    twice.merge(a);
    b.merge(a);
    expect_same(twice, b);
  }
  LadderParts wrong = ladder_of(votes(200, 40, 3)).parts();
  wrong.hits[0] = wrong.votes[0] + 1;
  EXPECT_THROW((void)Ladder::from_parts(wrong), std::invalid_argument);
  wrong = ladder_of(votes(200, 40, 3)).parts();
  wrong.rung[0] = 1u << 30;
  EXPECT_THROW((void)Ladder::from_parts(wrong), std::invalid_argument);
}

TEST(Ladder, FewDistinctForecastsAreExact) {
  const Column c = votes(2000, 40, 3);
  const Ladder ladder = ladder_of(c);
  EXPECT_TRUE(ladder.exact());
  EXPECT_EQ(ladder.bounds(15).auroc, 0);
  EXPECT_EQ(ladder.bounds(15).ece_mass, 0);
  const Forecasts f = ladder.column();
  EXPECT_LE(f.size(), 41U);
  EXPECT_EQ(*ks(f.view()).value, *ks(c.view()).value);
  EXPECT_EQ(*auroc(f.view()).value, *auroc(c.view()).value);
  EXPECT_EQ(*ece(equal_mass_table(f.view(), 15)).value, *ece(equal_mass_table(c.view(), 15)).value);
}

TEST(Ladder, TheGridKeepsItsBounds) {
  for (const double shift : {0.0, -6.0}) {  // also rare events, where a uniform grid fails
    Column c = votes(20'000, 0, 4);
    for (double& p : c.p) p = 1 / (1 + std::exp(-(std::log(p / (1 - p)) + shift)));
    const Ladder ladder = ladder_of(c, 100);
    ASSERT_FALSE(ladder.exact());
    const Forecasts f = ladder.column();
    EXPECT_TRUE(std::is_sorted(f.p.begin(), f.p.end()));
    const LadderBounds bounds = ladder.bounds(15);
    EXPECT_GT(bounds.auroc, 0);
    EXPECT_LT(bounds.auroc, 1e-3);
    EXPECT_LE(std::fabs(*auroc(f.view()).value - *auroc(c.view()).value), bounds.auroc);
    EXPECT_LE(std::fabs(*ks(f.view()).value - *ks(c.view()).value), bounds.ks + 1e-15);
    EXPECT_LE(std::fabs(*kuiper(f.view()).value - *kuiper(c.view()).value), bounds.kuiper + 1e-15);
    EXPECT_LE(
        std::fabs(*ece(equal_mass_table(f.view(), 15)).value - *ece(equal_mass_table(c.view(), 15)).value),
        bounds.ece_mass + 1e-15);
    EXPECT_GT(bounds.ece_mass, 0);
    EXPECT_LT(bounds.ece_mass, 0.02);
    EXPECT_LE(bounds.p, 0.25 / Ladder::kSteps + 1e-12);
    double mean = 0, all = 0, rungs = 0, trials = 0;
    for (std::size_t i = 0; i < c.size(); ++i)
      mean += c.p[i] * c.view().trials_of(i), all += c.view().trials_of(i);
    for (std::size_t i = 0; i < f.size(); ++i) rungs += f.p[i] * f.trials[i], trials += f.trials[i];
    EXPECT_EQ(trials, all);
    EXPECT_NEAR(rungs / trials, mean / all, 1e-13);  // the mean forecast is kept
  }
}

TEST(Ladder, StepsOfSeveralRungsKeepTheirBounds) {
  const Column c = votes(20'000, 0, 6);
  const Ladder ladder = ladder_of(c);
  const LadderParts parts = ladder.parts();
  constexpr int kTogether = 4;
  Forecasts f;
  std::vector<double> sum;
  std::uint64_t last = ~std::uint64_t{0};
  for (std::size_t i = 0; i < parts.rung.size(); ++i) {
    const std::uint64_t step = (parts.rung[i] + kTogether - 1) / kTogether;
    if (step != last) {
      f.p.push_back(0), f.trials.push_back(0), f.hits.push_back(0), sum.push_back(0);
      last = step;
    }
    constexpr double kHigh = 18446744073709551616.0, kUnit = 1.0 / (std::int64_t{1} << 50);
    sum.back() +=
        (static_cast<double>(parts.rung_p_high[i]) * kHigh + static_cast<double>(parts.rung_p_low[i])) *
        kUnit;
    f.trials.back() += static_cast<double>(parts.rung_votes[i]);
    f.hits.back() += static_cast<double>(parts.rung_hits[i]);
    f.p.back() = sum.back() / f.trials.back();
  }
  const LadderBounds fine = ladder.bounds(15), steps = ladder.bounds(15, kTogether);
  EXPECT_EQ(fine.auroc, ladder.exact() ? 0 : fine.auroc);
  EXPECT_GT(steps.auroc, 0);
  EXPECT_LE(std::fabs(*auroc(f.view()).value - *auroc(c.view()).value), steps.auroc);
  constexpr double kRounding = 1e-12;
  EXPECT_LE(std::fabs(*ks(f.view()).value - *ks(c.view()).value), steps.ks + kRounding);
  EXPECT_LE(std::fabs(*kuiper(f.view()).value - *kuiper(c.view()).value), steps.kuiper + kRounding);
  EXPECT_LE(
      std::fabs(*ece(equal_mass_table(f.view(), 15)).value - *ece(equal_mass_table(c.view(), 15)).value),
      steps.ece_mass + kRounding);
  EXPECT_LE(steps.p, 0.25 * kTogether / Ladder::kSteps + kRounding);
}

TEST(Ladder, AnySplitGivesTheSameBits) {
  for (const std::size_t most : {std::size_t{100}, std::size_t{700}, Ladder::kMostDistinct}) {
    const Column c = votes(1000, 0, 5);
    const Ladder whole = ladder_of(c, most);
    Ladder parts(most);
    for (std::size_t begin = 0; begin < c.size(); begin += 90) {
      Ladder part(most);
      part.add(c.view().slice(begin, std::min<std::size_t>(90, c.size() - begin)));
      Ladder before = std::move(part);
      before.merge(parts);  // either way round
      parts = std::move(before);
    }
    expect_same(parts, whole);
    Ladder with_nothing(most);
    with_nothing.merge(whole);
    expect_same(with_nothing, whole);
  }
}

/// Items of one vote pattern are counted once; what each of their votes adds follows from that.
TEST(Ladder, MissesCountAsOtherVotes) {
  for (const std::size_t most : {std::size_t{30}, std::size_t{200}, Ladder::kMostDistinct}) {
    Ladder got(most), want(most);
    for (const auto& [trials, hits, seed] : {std::tuple{3, 0, 6}, {3, 2, 7}, {1, 1, 8}}) {
      const Column c = votes(300, seed == 8 ? 0 : 40, seed);
      Ladder misses(most);
      misses.add(c.p, 1, 0);
      got.add_as(misses, trials, hits);
      want.add(c.p, trials, hits);
    }
    EXPECT_TRUE(got == want);
    EXPECT_EQ(got.exact(), most > 200);
  }
  Ladder other;
  other.add(votes(10, 5, 3).p, 2, 1);
  EXPECT_THROW(Ladder().add_as(other, 1, 0), std::invalid_argument);
}

TEST(Ladder, LowestTerms) {
  for (const std::size_t most : {std::size_t{30}, Ladder::kMostDistinct}) {
    const Column c = votes(300, 0, 9);
    Ladder halves(most), whole(most);
    halves.add(c.p, 6, 0);
    halves.add(c.p, 6, 6);
    whole.add(c.p, 1, 0);
    whole.add(c.p, 1, 1);
    EXPECT_TRUE(halves.in_lowest_terms() == whole);
    EXPECT_TRUE(halves.in_lowest_terms().single_votes());
    const std::vector<double> tie{0.25};
    halves.add(tie, 6, 3);
    whole = Ladder(most);
    whole.add(c.p, 2, 0);
    whole.add(c.p, 2, 2);
    whole.add(tie, 2, 1);
    EXPECT_TRUE(halves.in_lowest_terms() == whole);
    EXPECT_FALSE(halves.in_lowest_terms().single_votes());
  }
  EXPECT_EQ(Ladder().in_lowest_terms().votes(), 0U);
}

TEST(Ladder, EdgesAndNothing) {
  EXPECT_EQ(Ladder().column().size(), 0U);
  const std::vector<double> p = {0, -0.0, 1, 1e-300, 1 - 1e-16, 0.5}, hits = {0, 1, 1, 0, 1, 0},
                            trials = {2, 1, 1, 1, 1, 0};
  const ForecastsView f{p, hits, trials, {}, {}, true};
  for (const std::size_t most : {std::size_t{0}, Ladder::kMostDistinct}) {
    Ladder ladder(most);
    ladder.add(f);
    const Forecasts c = ladder.column();
    EXPECT_TRUE(std::is_sorted(c.p.begin(), c.p.end()));
    EXPECT_EQ(c.p.front(), 0);
    EXPECT_EQ(c.p.back(), 1);
    EXPECT_EQ(c.trials.front(), 3);
    EXPECT_EQ(c.hits.front(), 1);
  }
  const std::vector<double> weight(p.size(), 2);
  EXPECT_THROW(Ladder().add({p, hits, trials, weight, {}, true}), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
