// Several ways to slice, and the intervals of a slice.
#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/evaluate/evaluate.hpp"
#include "plumb/resample/slices.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

Names numbered_slices(std::int64_t n, std::int64_t slices, const char* file) {
  std::vector<std::int64_t> code(n);
  for (std::int64_t i = 0; i < n; ++i) code[i] = i % slices;
  return Names(Rows(array_of(code, {n}, file)));
}

const EvaluateOptions kDrawn{
    .metrics = {"accuracy", "nll", "brier", "ece", "auroc"}, .bootstrap = 30, .seed = 5, .consensus = false};

Items sliced(std::int64_t slices, int raters = 1) {
  Items items = test::to_items(test::simulate({.n = 300, .raters = raters, .sharpen = 1.4, .seed = 8}),
                               raters > 1 ? test::VoteForm::counts : test::VoteForm::labels);
  items.by = {numbered_slices(items.size(), slices, "a/site.npy")};
  return items;
}

TEST(SliceIntervals, AreThoseOfTheSliceEvaluatedAlone) {
  for (const int raters : {1, 3}) {
    Items items = sliced(3, raters);
    const Result whole = evaluate(items, kDrawn);
    ASSERT_EQ(whole.per_group.size(), 3u);
    for (std::int64_t g = 0; g < 3; ++g) {
      std::vector<std::int64_t> rows;
      for (std::int64_t i = g; i < items.size(); i += 3) rows.push_back(i);
      Items part = items.gather(rows);
      part.by = {};
      const Result alone = evaluate(part, kDrawn);
      const GroupResult& slice = whole.per_group[g];
      EXPECT_EQ(slice.by, "site");
      ASSERT_EQ(slice.intervals.size(), kDrawn.metrics.size());
      for (const auto& [key, i] : slice.intervals) {
        EXPECT_EQ(i.low, *alone[key].low) << key;
        EXPECT_EQ(i.high, *alone[key].high) << key;
        EXPECT_EQ(i.interval, alone[key].interval);
        EXPECT_LE(i.simultaneous_low, i.low) << key;
        EXPECT_GE(i.simultaneous_high, i.high) << key;
      }
    }
  }
}

TEST(SliceIntervals, OneSliceIsComparedWithNoOther) {
  const Result r = evaluate(sliced(1), kDrawn);
  ASSERT_EQ(r.per_group.size(), 1u);
  for (const auto& [key, i] : r.per_group[0].intervals) {
    EXPECT_DOUBLE_EQ(i.simultaneous_low, i.low) << key;
    EXPECT_DOUBLE_EQ(i.simultaneous_high, i.high) << key;
  }
}

TEST(SliceIntervals, TwoWaysToSliceAreBothReportedAndCountTogether) {
  Items items = sliced(3);
  const Result first = evaluate(items, kDrawn);
  items.by.push_back(numbered_slices(items.size(), 2, "t.csv:scanner"));
  const Result both = evaluate(items, kDrawn);
  ASSERT_EQ(both.per_group.size(), 5u);
  EXPECT_EQ(both.per_group[4].by, "scanner");
  for (std::size_t g = 0; g < 3; ++g) {
    EXPECT_EQ(both.per_group[g].metrics, first.per_group[g].metrics);
    for (std::size_t k = 0; k < first.per_group[g].intervals.size(); ++k) {
      const auto& [key, wide] = both.per_group[g].intervals[k];
      const SliceInterval& narrow = first.per_group[g].intervals[k].second;
      EXPECT_EQ(wide.low, narrow.low);
      EXPECT_LE(wide.simultaneous_low, narrow.simultaneous_low) << key;
      EXPECT_GE(wide.simultaneous_high, narrow.simultaneous_high) << key;
    }
  }
  EXPECT_NE(both.notes.back().find("5 slices were compared"), std::string::npos);
}

TEST(SliceIntervals, TooManySlicesHaveValuesAloneAndTheResultSaysSo) {
  Items items = sliced(kMostSliceIntervals + 1);
  const Result r = evaluate(items, kDrawn);
  for (const GroupResult& g : r.per_group) EXPECT_TRUE(g.intervals.empty());
  EXPECT_TRUE(r.per_group[0].metrics[0].second.has_value());
  EXPECT_NE(r.notes.back().find("no intervals"), std::string::npos);
}

TEST(SliceIntervals, ASliceOfFewItemsAndARunWithoutReplicatesHaveNone) {
  for (const GroupResult& g : evaluate(sliced(50), kDrawn).per_group) {
    EXPECT_TRUE(g.intervals.empty());
    for (const auto& [key, value] : g.metrics) {
      const auto at = std::find_if(g.interval_why.begin(), g.interval_why.end(),
                                   [&key = key](const auto& w) { return w.first == key; });
      ASSERT_EQ(at != g.interval_why.end(), value.has_value()) << key;
      EXPECT_EQ(value ? at->second : "", value ? "the slice has fewer than 10 items" : "");
    }
  }
  EvaluateOptions plain = kDrawn;
  plain.bootstrap = 0;
  for (const GroupResult& g : evaluate(sliced(3), plain).per_group) {
    EXPECT_TRUE(g.intervals.empty());
    EXPECT_TRUE(g.interval_why.empty());
  }
}

TEST(SliceIntervals, AValueHasAnIntervalOrTheReasonWhyNot) {
  // All outcomes of slice 0 agree with forecasts of 1: resampling nll gives the same value again and again.
  test::Simulated s;
  for (int i = 0; i < 60; ++i) {
    s.z.push_back(i % 2 == 0 ? 1.0 : 0.3 + 0.005 * i);
    s.votes.push_back({i % 2 == 0 || i % 4 == 1 ? 1 : 0});
  }
  Items items = test::to_items(s, test::VoteForm::labels);
  items.by = {numbered_slices(60, 2, "site.npy")};
  const Result r = evaluate(items, kDrawn);
  ASSERT_EQ(r.per_group.size(), 2u);
  int reasons = 0;
  for (const GroupResult& g : r.per_group)
    for (const auto& [key, value] : g.metrics) {
      const auto named = [&key = key](const auto& x) { return x.first == key; };
      const auto bounds = std::count_if(g.intervals.begin(), g.intervals.end(), named),
                 whys = std::count_if(g.interval_why.begin(), g.interval_why.end(), named);
      EXPECT_EQ(bounds + whys, value ? 1 : 0) << key << " of " << g.group;
      reasons += static_cast<int>(whys);
    }
  EXPECT_GT(reasons, 0);
  EXPECT_EQ(r.per_group[1].interval_why.size(), 0u);
}

TEST(SliceIntervals, AnyNumberOfThreadsGivesTheSameBits) {
  EvaluateOptions o = kDrawn;
  o.threads = 1;
  const Result one = evaluate(sliced(12), o);
  o.threads = 3;
  const Result three = evaluate(sliced(12), o);
  for (std::size_t g = 0; g < one.per_group.size(); ++g)
    for (std::size_t k = 0; k < one.per_group[g].intervals.size(); ++k) {
      EXPECT_EQ(one.per_group[g].intervals[k].second.low, three.per_group[g].intervals[k].second.low);
      EXPECT_EQ(one.per_group[g].intervals[k].second.simultaneous_high,
                three.per_group[g].intervals[k].second.simultaneous_high);
    }
}

}  // namespace
}  // namespace plumb
