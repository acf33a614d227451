#include "plumb/metrics/ordered/ladder.hpp"

#include "plumb/metrics/ordered/ladder_bounds.hpp"

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
  const Forecasts f = ladder.column();
  EXPECT_LE(f.size(), 41U);
  EXPECT_EQ(*ks(f.view()).value, *ks(c.view()).value);
  EXPECT_EQ(*auroc(f.view()).value, *auroc(c.view()).value);
  EXPECT_EQ(*ece(equal_mass_table(f.view(), 15)).value, *ece(equal_mass_table(c.view(), 15)).value);
}

TEST(Ladder, RungsHoldTheirForecasts) {
  const Column c = votes(20'000, 0, 4);
  const Ladder ladder = ladder_of(c, 100);
  ASSERT_FALSE(ladder.exact());
  const Forecasts f = ladder.column();
  EXPECT_TRUE(std::is_sorted(f.p.begin(), f.p.end()));
  double all = 0, rungs = 0, mean = 0;
  for (const LadderRung& r : ladder.rungs()) {
    EXPECT_LE(r.low, r.p);
    EXPECT_LE(r.p, r.high);
    EXPECT_LE(r.high - r.low, 0.25 / Ladder::kSteps + 1e-12);
    rungs += r.p * r.votes, all += r.votes;
  }
  for (std::size_t i = 0; i < c.size(); ++i) mean += c.p[i] * c.view().trials_of(i);
  EXPECT_EQ(all, static_cast<double>(ladder.votes()));
  EXPECT_NEAR(rungs / all, mean / all, 1e-13);  // the mean forecast is kept
}

TEST(Ladder, StepsOfSeveralRungsKeepTheirBounds) {
  const Column c = votes(20'000, 0, 6);
  const std::vector<LadderRung> steps = ladder_of(c).steps(4);
  const Forecasts f = column_of(steps);
  const KeyBounds bounds = order_bounds(steps, 15);
  const auto within = [&](const char* key, double a, double b) {
    const auto at = std::find_if(bounds.begin(), bounds.end(), [&](const auto& x) { return x.first == key; });
    ASSERT_NE(at, bounds.end()) << key;
    constexpr double kRounding = 1e-12;
    EXPECT_LE(std::fabs(a - b), at->second + kRounding) << key;
  };
  within("auroc", *auroc(f.view()).value, *auroc(c.view()).value);
  within("ks", *ks(f.view()).value, *ks(c.view()).value);
  within("kuiper", *kuiper(f.view()).value, *kuiper(c.view()).value);
  within("ece_mass", *ece(equal_mass_table(f.view(), 15)).value, *ece(equal_mass_table(c.view(), 15)).value);
  within("p", 0, 0);
  EXPECT_LT(f.size(), 1500U);
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
