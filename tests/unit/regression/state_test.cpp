#include "plumb/regression/state.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

RegressionOptions with_range() {
  RegressionOptions o;
  o.range = RegressionRange{0.01, 4.0};
  return o;
}

std::vector<std::int64_t> every(std::int64_t n, std::int64_t from, std::int64_t step) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = from; i < n; i += step) rows.push_back(i);
  return rows;
}

const MetricResult& metric(const Result& r, std::string_view key) {
  for (const auto& [name, m] : r.metrics)
    if (name == key) return m;
  throw std::out_of_range(std::string(key));
}

// Every streaming key of merged shards is that of one run over all the data, bit for bit.
TEST(RegressionState, ShardsMergeIntoOneRun) {
  for (const int outputs : {1, 2}) {
    const RegressionItems items = simulate({.n = 400, .outputs = outputs, .factor = 1.3}).items();
    RegressionState merged = regression_state(items.gather(every(400, 1, 3)), with_range());
    for (const std::int64_t from : {0, 2})
      merge(merged, deserialize_regression_state(
                        serialize(regression_state(items.gather(every(400, from, 3)), with_range())), "a"));
    const Result whole = evaluate_regression(items, with_range()), parts = finish(merged, {});
    int compared = 0;
    for (const auto& [key, m] : parts.metrics) {
      if (!m.value) {
        EXPECT_FALSE(m.why.empty()) << key;
        continue;
      }
      EXPECT_EQ(*m.value, metric(whole, key).value) << key;
      ++compared;
    }
    EXPECT_GE(compared, 13);
    EXPECT_TRUE(metric(parts, "uce").value);
  }
}

TEST(RegressionState, AnEvaluationGivesTheSameState) {
  for (const bool range : {false, true}) {
    for (const int outputs : {1, 3}) {
      const RegressionItems items =
          simulate({.n = 300, .outputs = outputs, .parts = true, .weights = true}).items();
      RegressionOptions o = range ? with_range() : RegressionOptions{};
      o.metrics = {"mse"};
      RegressionState state;
      (void)evaluate_regression(items, o, &state);
      EXPECT_EQ(state, regression_state(items, o)) << range << " " << outputs;
    }
  }
}

TEST(RegressionState, WithoutARangeUceIsNullWithTheRemedy) {
  const Result r = finish(regression_state(simulate({.n = 50}).items(), {}), {});
  EXPECT_FALSE(metric(r, "uce").value);
  EXPECT_NE(metric(r, "uce").why.find("⟦range⟧"), std::string::npos);
  EXPECT_TRUE(metric(r, "nll").value);
}

TEST(RegressionState, DamageIsRefused) {
  const std::string bytes = serialize(regression_state(simulate({.n = 50}).items(), with_range()));
  for (std::size_t n = 0; n < bytes.size(); n += n < 64 ? 1 : 53)
    EXPECT_THROW((void)deserialize_regression_state(bytes.substr(0, n), "a"), InputError) << n;
  for (std::size_t i = 0; i < bytes.size(); i += 17) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    EXPECT_THROW((void)deserialize_regression_state(bad, "a"), InputError) << i;
  }
}

TEST(RegressionState, UnlikeOptionsAreRefused) {
  const RegressionItems items = simulate({.n = 50}).items();
  RegressionState a = regression_state(items, with_range());
  EXPECT_THROW(merge(a, regression_state(items, {})), InputError);
  RegressionOptions other = with_range();
  other.bins = 10;
  EXPECT_THROW(merge(a, regression_state(items, other)), InputError);
  EXPECT_THROW(merge(a, regression_state(simulate({.n = 50, .outputs = 2}).items(), with_range())),
               InputError);
}

}  // namespace
}  // namespace plumb::test
