// Stability: subsets are weights on drawn units; curves, total variation and precision against
// literal copies.
#include "plumb/evaluate/stability.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

Items voted(std::int64_t n = 300) {
  return to_items(simulate({.n = n, .classes = 3, .raters = 6, .vary = true, .sharpen = 1.8, .seed = 5}),
                  VoteForm::counts);
}

StabilityOptions small() {
  StabilityOptions o;
  o.repeats = 12;
  o.step = 0.2;
  o.raters = {1, 2};
  return o;
}

TEST(Stability, FractionsGoFromFromToOne) {
  const Stability s = stability(voted(), {});
  ASSERT_EQ(s.fractions.size(), 17u);
  EXPECT_NEAR(s.fractions.front(), 0.2, 1e-12);
  EXPECT_EQ(s.fractions.back(), 1.0);
}

TEST(Stability, SameNumbersForAnyThreads) {
  for (const Subsets subsets : {Subsets::nested, Subsets::independent}) {
    for (const SingleLabel single : {SingleLabel::majority, SingleLabel::random}) {
      StabilityOptions o = small();
      o.estimators = {"ece", "ks", "ece_mass"};
      o.subsets = subsets;
      o.single = single;
      o.evaluate.threads = 1;
      const Stability one = stability(voted(), o);
      o.evaluate.threads = 5;
      const Stability many = stability(voted(), o);
      for (std::size_t e = 0; e < one.estimators.size(); ++e) {
        EXPECT_EQ(one.estimators[e].multi.mean, many.estimators[e].multi.mean);
        EXPECT_EQ(one.estimators[e].single.sd, many.estimators[e].single.sd);
        EXPECT_EQ(one.estimators[e].ratio, many.estimators[e].ratio);
      }
    }
  }
}

TEST(Stability, TotalVariationIsTheSumOfAbsoluteChanges) {
  StabilityOptions o = small();
  o.repeats = 2;
  const Stability s = stability(voted(), o);
  const StabilityCurve& c = s.estimators[0].multi;
  const double steps = static_cast<double>(s.fractions.size() - 1);
  EXPECT_NEAR(c.tv_mean.value * steps, c.tv_sum.value, 1e-15);
  // The mean path cannot vary more than the paths do on average.
  double mean_path = 0;
  for (std::size_t i = 1; i < c.mean.size(); ++i) mean_path += std::abs(c.mean[i] - c.mean[i - 1]);
  EXPECT_LE(mean_path, c.tv_sum.value + 1e-15);
  EXPECT_GT(c.tv_sum.value, 0);
}

TEST(Stability, FullSizeDrawsSpreadLikeABootstrap) {
  StabilityOptions o = small();
  o.estimators = {"accuracy"};
  o.repeats = 600;
  const std::int64_t n = 400;
  const Stability s = stability(voted(n), o);
  const double a = s.estimators[0].multi.mean.back();
  const double expected = std::sqrt(a * (1 - a) / static_cast<double>(n));
  EXPECT_NEAR(s.estimators[0].multi.sd.back(), expected, 4 * expected / std::sqrt(2.0 * 600));
  // A fifth of the items: sqrt(5) times the standard error.
  EXPECT_NEAR(s.estimators[0].multi.sd.front(), expected * std::sqrt(5.0),
              4 * expected * std::sqrt(5.0) / std::sqrt(2.0 * 600));
}

TEST(Stability, GroupsAreDrawnWhole) {
  Simulated data = simulate({.n = 300, .groups = 30, .seed = 8});
  StabilityOptions o = small();
  const Stability s = stability(to_items(data, VoteForm::labels), o);
  EXPECT_EQ(s.units, 30);
  EXPECT_FALSE(s.estimators[0].has_single) << "one vote per item: there is nothing to compare";
  EXPECT_FALSE(s.estimators[0].ratio.has_value());
}

TEST(Stability, DrawnVotesAreASubsetWithoutReplacement) {
  const Items items = voted();
  VoteBlock all, some;
  items.votes.read(0, items.size(), all);
  for (const int want : {1, 3, 50}) {
    const Items drawn = draw_votes(items, want, 3, 7, 2);
    drawn.votes.read(0, items.size(), some);
    for (std::int64_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(some.votes(i), std::min<std::uint32_t>(all.votes(i), static_cast<std::uint32_t>(want)));
      for (std::uint32_t k = 0; k < 3; ++k) EXPECT_LE(some.hits(i, k), all.hits(i, k));
    }
  }
}

TEST(Stability, OneDrawnVoteFollowsTheShares) {
  // 40 repeats of one vote from a 3:1 item: binomial within 4 standard errors.
  constexpr int kItems = 200, kRepeats = 40;
  std::vector<std::int64_t> counts;
  for (int i = 0; i < kItems; ++i) counts.insert(counts.end(), {3, 1});
  Items items;
  items.predictions =
      Predictions({Rows(array_of(std::vector<double>(kItems, 0.5), {kItems}, "p"))}, Scale::probability);
  items.votes = Votes::from_counts(Rows(array_of(counts, {kItems, 2}, "c")), 2);
  double ones = 0;
  for (std::uint32_t r = 0; r < kRepeats; ++r) {
    VoteBlock block;
    draw_votes(items, 1, 9, r, 1).votes.read(0, kItems, block);
    for (std::int64_t i = 0; i < kItems; ++i) ones += block.hits(i, 1);
  }
  const double n = kItems * kRepeats;
  EXPECT_NEAR(ones / n, 0.25, 4 * std::sqrt(0.25 * 0.75 / n));
}

TEST(Stability, BadOptionsAreRefused) {
  const auto refused = [](auto change) {
    StabilityOptions o = small();
    change(o);
    EXPECT_THROW((void)stability(voted(), o), InputError);
  };
  refused([](StabilityOptions& o) { o.from = 0; });
  refused([](StabilityOptions& o) { o.step = 2; });
  refused([](StabilityOptions& o) { o.repeats = 1; });
  refused([](StabilityOptions& o) { o.estimators = {"no_such_key"}; });
  refused([](StabilityOptions& o) { o.single = SingleLabel::rater; });  // counts do not tell who voted
}

}  // namespace
}  // namespace plumb::test
