// The one pass by agreement against the passes item by item, bit for bit.
#include "evaluate/case_split.hpp"

#include <gtest/gtest.h>

#include "evaluate/ladder_scores.hpp"
#include "evaluate/stream.hpp"
#include "plumb/metrics/ordered/ks.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "support/make_items.hpp"

namespace plumb::detail {
namespace {

using test::VoteForm;

struct Setting {
  int classes, raters;
  bool vary;
};

void expect_same_ladders(const CaseLadders& a, const CaseLadders& b) {
  EXPECT_TRUE(*a.votes == *b.votes);
  EXPECT_TRUE(*a.majority == *b.majority);
  ASSERT_EQ(a.raters.size(), b.raters.size());
  for (std::size_t r = 0; r < a.raters.size(); ++r) EXPECT_TRUE(a.raters[r] == b.raters[r]) << r;
}

void compare(const Items& items, Ties ties) {
  EvaluateOptions o;
  o.ties = ties;
  const BinPlan plan = equal_width_plan(o.bins, items.classes());
  const int raters = items.votes.raters();
  Progress silent({}, {});
  const CaseLadders ladders = case_ladders(items, {.votes = true, .single = true}, {o.ties, o.seed}, 1);
  EXPECT_TRUE(*ladders.votes == ladder_of(pass_over(items, Event::event, 1)));
  for (int r = 0; r < raters; ++r) {
    Items own = items;
    own.votes = items.votes.of_rater(r);
    EXPECT_TRUE(ladders.raters[r] == ladder_of(pass_over(own, Event::event, 1))) << r;
  }
  for (const int threads : {1, 3}) {
    o.threads = threads;
    const SplitSums got = split_sums(items, kBySplit, o, {.ladders = true});
    if (got.ladders) expect_same_ladders(*got.ladders, ladders);
    expect_same_ladders(case_ladders(items, {.votes = true, .single = true}, {o.ties, o.seed}, threads),
                        ladders);
    EXPECT_TRUE(got.votes == stream_sums(items, plan, kBySplit, o, silent));
    const Consensus majority = consensus(items, {o.ties, o.seed}, 1);
    EXPECT_EQ(got.tied, static_cast<std::uint64_t>(majority.tied));
    EXPECT_EQ(got.most_votes, majority.most_votes);
    EXPECT_TRUE(got.consensus == stream_sums(majority.items, plan, kBySplit, o, silent));
    const ProductSet single{Product::event_table, Product::class_tables, Product::proper_scores};
    for (int r = 0; r < raters; ++r) {
      Items own = items;
      own.votes = items.votes.of_rater(r);
      EXPECT_TRUE(got.raters[r] == stream_sums(own, plan, single, o, silent)) << r;
    }
    const CaseOverlap overlap = case_overlap(items, 1);
    EXPECT_EQ(got.overlap.predicted, overlap.predicted);
    EXPECT_EQ(got.overlap.expected, overlap.expected);
    for (int r = 0; r < raters; ++r) {
      EXPECT_EQ(got.overlap.raters[r].volume, overlap.raters[r].volume);
      EXPECT_EQ(got.overlap.raters[r].dice, overlap.raters[r].dice);
      EXPECT_EQ(got.overlap.raters[r].soft_dice, overlap.raters[r].soft_dice);
    }
  }
}

TEST(CaseSplit, SameBitsAsItemByItem) {
  for (const Setting& s :
       {Setting{2, 3, false}, Setting{2, 3, true}, Setting{2, 1, false}, Setting{2, 2, false},
        Setting{2, 4, true}, Setting{4, 3, false}, Setting{3, 2, true}})
    for (const Ties ties : {Ties::half, Ties::absent, Ties::lowest}) {
      SCOPED_TRACE(testing::Message() << s.classes << " classes, " << s.raters << " raters, vary " << s.vary
                                      << ", ties " << ties_name(ties));
      compare(test::to_items(test::simulate({.n = 3000,
                                             .classes = s.classes,
                                             .raters = s.raters,
                                             .vary = s.vary,
                                             .sharpen = 3,
                                             .seed = 9}),
                             VoteForm::ratings),
              ties);
    }
}

/// Without ties, and where ties have no majority, the majority's ladder is that of its labels; shared by two,
/// a tied item is a hit and a miss of half the weight.
TEST(CaseLadders, TheMajorityOfTiedRaters) {
  for (const int classes : {2, 4})
    for (const Ties ties : {Ties::half, Ties::absent, Ties::lowest}) {
      const Items items = test::to_items(
          test::simulate({.n = 3000, .classes = classes, .raters = 4, .vary = true, .sharpen = 2, .seed = 3}),
          VoteForm::ratings);
      const CaseLadders ladders = case_ladders(items, {.single = true}, {ties, 0}, 2);
      const Consensus majority = consensus(items, {ties, 0}, 1);
      EXPECT_GT(majority.tied, 0);
      const Forecasts want = sort_forecasts(collect(majority.items, Event::event, 1), 1).columns;
      const Forecasts got = ladders.majority->in_lowest_terms().column();
      // The same up to the scale of the weights.
      EXPECT_NEAR(*ks(got.view()).value, *ks(want.view()).value, 1e-12);
      EXPECT_NEAR(*auroc(got.view()).value, *auroc(want.view()).value, 1e-12);
      if (ties == Ties::half) continue;
      double votes = 0;
      for (const double n : got.trials) votes += n;
      EXPECT_EQ(votes,
                static_cast<double>(majority.items.size()) - (ties == Ties::absent ? majority.tied : 0));
    }
  EXPECT_EQ(majority_unit(2, Ties::half), 2u);
  EXPECT_EQ(majority_unit(4, Ties::half), 12u);
  EXPECT_EQ(majority_unit(90, Ties::half), 2520u);
  EXPECT_EQ(majority_unit(4, Ties::absent), 1u);
}

TEST(CaseLadders, EachClass) {
  const Items items = test::to_items(
      test::simulate({.n = 500, .classes = 3, .raters = 3, .vary = true, .seed = 4}), VoteForm::ratings);
  const CaseLadders ladders = case_ladders(items, {.classes = true}, {}, 2);
  ASSERT_EQ(ladders.classes.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    Ladder want;
    want.add(collect_class(items, k, 1).view());
    EXPECT_TRUE(ladders.classes[k] == want) << k;
  }
}

/// Probabilities of 0, 1, the edges of bins and far below what sums resolve; ratings as a case has them,
/// bytes with the column of each rater in one piece.
TEST(CaseSplit, ProbabilitiesAtTheirEnds) {
  const std::vector<double> edges{
      0,      1,           0.5,   0x1p-60,        0x1p-149, 1e-300,       0.2,      1.0 / 15,
      0x1p-1, 1 - 0x1p-53, 1e-20, 0x1.fffffep-20, 3e-9,     0.4999999999, 14.0 / 15};
  for (const int raters : {1, 2, 3, 4}) {
    constexpr std::int64_t kVoxels = 9000;
    std::vector<double> p;
    const auto votes = std::make_shared<std::vector<std::int8_t>>(kVoxels * raters);
    for (std::int64_t i = 0; i < kVoxels; ++i) {
      p.push_back(edges[i * i / 7 % edges.size()]);
      for (int r = 0; r < raters; ++r)
        (*votes)[r * kVoxels + i] = static_cast<std::int8_t>(i % 97 == 5 ? -1 : (i >> r) * (i / 3) % 5 < 2);
    }
    Array a;
    a.dtype = DType::i8;
    a.shape = {kVoxels, raters};
    a.strides = {1, kVoxels};
    a.data = reinterpret_cast<const std::byte*>(votes->data());
    a.owner = votes;
    Items items;
    items.predictions = Predictions({Rows(array_of(std::move(p), {kVoxels}, "p"))}, Scale::probability);
    items.votes = Votes::from_ratings(Rows(a), 2);
    SCOPED_TRACE(raters);
    for (const Ties ties : {Ties::half, Ties::absent, Ties::lowest}) compare(items, ties);
  }
}

}  // namespace
}  // namespace plumb::detail
