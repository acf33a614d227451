// The one pass by agreement against the passes item by item, bit for bit.
#include "evaluate/case_split.hpp"

#include <gtest/gtest.h>

#include "evaluate/ladder_scores.hpp"
#include "evaluate/stream.hpp"
#include "support/make_items.hpp"

namespace plumb::detail {
namespace {

using test::VoteForm;

struct Setting {
  int classes, raters;
  bool vary;
};

void expect_same_ladder(const Ladder& a, const Ladder& b) {
  const LadderParts x = a.parts(), y = b.parts();
  EXPECT_EQ(x.exact, y.exact);
  EXPECT_EQ(x.rung, y.rung);
  EXPECT_EQ(x.rung_votes, y.rung_votes);
  EXPECT_EQ(x.rung_hits, y.rung_hits);
  EXPECT_EQ(x.rung_p_low, y.rung_p_low);
  EXPECT_EQ(x.rung_p_high, y.rung_p_high);
  EXPECT_EQ(x.p, y.p);
  EXPECT_EQ(x.votes, y.votes);
  EXPECT_EQ(x.hits, y.hits);
}

void compare(const Items& items, Ties ties) {
  EvaluateOptions o;
  o.ties = ties;
  const BinPlan plan = equal_width_plan(o.bins, items.classes());
  const int raters = items.votes.raters();
  Progress silent({}, {});
  for (const int threads : {1, 3}) {
    o.threads = threads;
    const SplitSums got = split_sums(items, kBySplit, o, {.ladder = true});
    if (got.ladder) expect_same_ladder(*got.ladder, ladder_of(pass_over(items, Event::event, 1)));
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
