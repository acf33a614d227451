// State files: damaged, foreign and future ones are refused with a sentence; nothing crashes.
#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

EvaluateState small_state() {
  return evaluate_state(to_items(simulate({.n = 60, .classes = 3, .raters = 2, .seed = 2}), VoteForm::counts),
                        {});
}

TEST(StateFile, RoundTrip) {
  const EvaluateState s = small_state();
  EXPECT_EQ(deserialize_state(serialize(s), "a"), s);
}

EvaluateOptions with_bandwidth(double h) {
  EvaluateOptions o;
  o.bandwidth = h;
  return o;
}

// The curve of merged shards is that of one run over all the data, bit for bit.
TEST(StateFile, KernelSumsMergeIntoTheCurve) {
  const Items items = to_items(simulate({.n = 90, .raters = 3, .seed = 5}), VoteForm::counts);
  const EvaluateOptions o = with_bandwidth(0.05);
  std::vector<std::int64_t> first, second;
  for (std::int64_t i = 0; i < 90; ++i) (i % 3 == 0 ? first : second).push_back(i);
  EvaluateState merged = evaluate_state(items.gather(second), o);
  merge(merged, deserialize_state(serialize(evaluate_state(items.gather(first), o)), "a"));
  const auto curve = [](const Result& r) {
    for (const auto& [name, table] : r.tables)
      if (name == "reliability_kde") return table.rows;
    return decltype(Table::rows){};
  };
  const auto whole = curve(evaluate(items, o));
  ASSERT_EQ(whole.size(), 101u);
  EXPECT_EQ(curve(finish(merged, {})), whole);
  EXPECT_EQ(curve(finish(evaluate_state(items, {}), {})), curve(evaluate(items, {})));  // automatic
}

// More distinct forecasts than are kept one by one: the same bits for any split, near those of one run.
TEST(StateFile, OrderedMetricsOfManyForecastsAreReadOffTheGrid) {
  const auto n = static_cast<std::int64_t>(Ladder::kMostDistinct) + 3000;
  const Items items = to_items(simulate({.n = n, .sharpen = 1.6, .seed = 9}), VoteForm::labels);
  EvaluateOptions o = with_bandwidth(0.02);
  o.metrics = {"auroc", "ks", "ece_mass", "mmce", "smece", "ece_kde", "calibration_slope", "aurc"};
  std::vector<std::int64_t> first, second;
  for (std::int64_t i = 0; i < n; ++i) (i % 5 == 0 ? first : second).push_back(i);
  EvaluateState merged = evaluate_state(items.gather(second), o);
  ASSERT_TRUE(merged.ladder);
  EXPECT_TRUE(merged.ladder->exact());
  merge(merged, deserialize_state(serialize(evaluate_state(items.gather(first), o)), "a"));
  EXPECT_FALSE(merged.ladder->exact());
  EXPECT_EQ(merged, evaluate_state(items, o));
  const Result grid = finish(merged, o), whole = evaluate(items, o);
  constexpr double kNear = 1e-4;  // a step of 1/256 in log-odds moves a forecast by less than 0.001
  for (const auto& [key, m] : whole.metrics) {
    const MetricResult& other = find_result(grid.metrics, key);
    ASSERT_TRUE(m.value && other.value) << key;
    EXPECT_NEAR(*m.value, *other.value, kNear) << key;
  }
}

TEST(StateFile, WeightsLeaveOnlySums) {
  Simulated s = simulate({.n = 50, .seed = 3});
  s.weight.assign(s.size(), 2.0);
  const Result r = finish(evaluate_state(to_items(s, VoteForm::labels), {}), {.metrics = {"ece", "ks"}});
  EXPECT_TRUE(find_result(r.metrics, "ece").value);
  EXPECT_NE(find_result(r.metrics, "ks").why.find("weights"), std::string::npos);
}

TEST(StateFile, UnlikeBandwidthsAreRefused) {
  const Items items = to_items(simulate({.n = 30, .seed = 5}), VoteForm::labels);
  EvaluateState a = evaluate_state(items, with_bandwidth(0.05));
  EXPECT_THROW(merge(a, evaluate_state(items, with_bandwidth(0.02))), InputError);
  EXPECT_THROW(merge(a, evaluate_state(items, {})), InputError);
}

TEST(StateFile, EveryTruncationIsRefused) {
  const std::string bytes = serialize(small_state());
  for (std::size_t n = 0; n < bytes.size(); n += n < 64 ? 1 : 97)
    EXPECT_THROW((void)deserialize_state(bytes.substr(0, n), "a"), InputError) << n;
  EXPECT_THROW((void)deserialize_state(bytes + "x", "a"), InputError);
}

TEST(StateFile, EveryFlippedBitIsRefused) {
  const std::string bytes = serialize(small_state());
  for (std::size_t i = 0; i < bytes.size(); i += i < 64 ? 1 : 31) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    EXPECT_THROW((void)deserialize_state(bad, "a"), InputError) << i;
  }
}

/// Whether a file with the right checksum and this state in it is refused.
bool refused(const EvaluateState& s) {
  try {
    (void)deserialize_state(serialize(s), "a.state");
    return false;
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("a.state: the state file is damaged"), std::string::npos)
        << e.what();
    return true;
  }
}

TEST(StateFile, NumbersThatNoDataHaveAreRefused) {
  const EvaluateState good = small_state();
  const auto with = [&](auto&& change) {
    EvaluateState s = good;
    change(s);
    return s;
  };
  EXPECT_FALSE(refused(good));
  EXPECT_TRUE(refused(with([](EvaluateState& s) { s.votes.event.bins[0].w = ExactSum(0x1p61); })));
  EXPECT_TRUE(refused(with([](EvaluateState& s) { s.votes.event.bins[0].w = ExactSum(-1.0); })));
  EXPECT_TRUE(refused(with([](EvaluateState& s) { s.votes.event.bins[0].wp = ExactSum(1e6); })));
  EXPECT_TRUE(refused(with([](EvaluateState& s) { s.consensus.event.bins[3].ww = ExactSum(1e30); })));
  EXPECT_TRUE(refused(with([](EvaluateState& s) { s.votes.scores.nll = ExactSum(1e30); })));
  EXPECT_TRUE(refused(with([](EvaluateState& s) { s.votes.scores.votes = std::uint64_t{1} << 63; })));
  EXPECT_TRUE(refused(with([](EvaluateState& s) { s.items = std::uint64_t{1} << 63; })));
}

// A ladder counts the same votes three times over: a file in which they differ could ask for any memory.
TEST(StateFile, LaddersWhoseCountsDisagreeAreNone) {
  const LadderParts good = small_state().ladder->parts();
  const auto is_ladder = [](const LadderParts& parts) {
    try {
      (void)Ladder::from_parts(parts);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  const auto with = [&](auto&& change) {
    LadderParts parts = good;
    change(parts);
    return is_ladder(parts);
  };
  EXPECT_TRUE(is_ladder(good));
  EXPECT_FALSE(with([](LadderParts& l) { l.votes[0] += std::uint64_t{1} << 60; }));
  EXPECT_FALSE(with([](LadderParts& l) { ++l.rung_votes[0]; }));
  EXPECT_FALSE(with([](LadderParts& l) { l.kinds[0].items = ~std::uint64_t{0}; }));
  EXPECT_FALSE(with([](LadderParts& l) { l.rung_p_high[0] = 1; }));
  EXPECT_FALSE(with([](LadderParts& l) { std::swap(l.p[0], l.p[1]); }));
  EXPECT_FALSE(with([](LadderParts& l) { std::swap(l.rung[0], l.rung[1]); }));
}

TEST(StateFile, MoreVotesThanAStateCountsAreNotMerged) {
  EvaluateState a = evaluate_state(to_items(simulate({.n = 20, .seed = 2}), VoteForm::labels), {});
  EvaluateState b = a;
  a.votes.event.bins[0].votes = (std::uint64_t{1} << 46) - 10;
  try {
    merge(b, a);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("merge fewer of them"), std::string::npos);
  }
}

TEST(StateFile, FutureFormatNamesItself) {
  std::string bytes = serialize(small_state());
  bytes[8] = 9;
  try {
    (void)deserialize_state(bytes, "old.plumb");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("old.plumb"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("format 9"), std::string::npos);
  }
}

TEST(StateFile, UnlikeOptionsAreRefused) {
  const Items items = to_items(simulate({.n = 60, .seed = 2}), VoteForm::labels);
  EvaluateState a = evaluate_state(items, {});
  const EvaluateState b = evaluate_state(items, [] {
    EvaluateOptions o;
    o.bins = 10;
    return o;
  }());
  try {
    merge(a, b);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(".bins"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumb::test
