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
