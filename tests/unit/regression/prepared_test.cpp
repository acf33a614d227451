#include "regression/prepared.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

using detail::PreparedRegression;
using detail::RegressionDraw;
using detail::RegressionProduct;
using detail::RegressionProducts;
using detail::RegressionProductSet;
using detail::RegressionSelection;

void expect_equal(const Scores& a, const Scores& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [key, x] : a) EXPECT_EQ(x.value, b.at(key).value) << key;
}

// A key without a run would throw; one whose run returns nothing has no value here.
TEST(RegressionRuns, EveryKeyAloneHasAValue) {
  Progress progress;
  const RegressionItems items = simulate({.n = 200, .parts = true}).items();
  for (const MetricRow& row : regression_metrics()) {
    const RegressionOptions o{.metrics = {std::string(row.key)}};
    const RegressionSelection one = detail::select_regression(o.metrics, true);
    const PreparedRegression prepared(items, one, o);
    const Scores scores = prepared.score(std::vector<RegressionDraw>(1), progress)[0];
    ASSERT_EQ(scores.size(), 1u) << row.key;
    EXPECT_TRUE(scores.at(std::string(row.key)).value) << row.key;
    expect_equal(scores, prepared.finish(prepared.products()));
  }
}

TEST(RegressionRuns, AProductThatWasNotMadeIsALogicError) {
  const RegressionProducts none{RegressionSums()};
  for (const MetricRow& row : regression_metrics())
    EXPECT_THROW((void)detail::regression_run(row).finish(none, {}), std::logic_error) << row.key;
}

TEST(RegressionSelection, IsTheRowsAndTheUnionOfTheirProducts) {
  const RegressionSelection s = detail::select_regression(std::vector<std::string>{"pit_ks", "mse"}, false);
  ASSERT_EQ(s.rows.size(), 2u);
  EXPECT_EQ(s.rows[0]->key, "mse");  // the registry's order
  EXPECT_EQ(s.needs, (RegressionProductSet{RegressionProduct::sums, RegressionProduct::pit}));
  EXPECT_EQ(detail::select_regression({}, true).rows.size(), regression_metrics().size());
  EXPECT_EQ(detail::select_regression({}, false).rows.size(), regression_metrics().size() - 2);
  EXPECT_THROW((void)detail::select_regression(std::vector<std::string>{"all", "uec"}, true), InputError);
}

// The scores of a draw do not depend on what else is drawn or selected, and a resample is a weighting.
TEST(PreparedRegression, ADrawIsAWeighting) {
  SimulatedRegression s = simulate({.n = 700, .outputs = 2, .parts = true, .weights = true});
  const RegressionItems items = s.items();
  RegressionOptions o{.threads = 2};
  const RegressionSelection all = detail::select_regression({}, true);
  const PreparedRegression prepared(items, all, o);
  std::vector<RegressionDraw> draws(70);
  Progress progress;
  for (std::uint32_t r = 0; r < 70; ++r) draws[r] = {5, r};
  const std::vector<Scores> scores = prepared.score(draws, progress);
  expect_equal(scores[69], prepared.score(std::span(draws).last(1), progress)[0]);

  std::vector<std::uint32_t> times(700);
  draws[69].count(regression_units(items), times);
  for (std::size_t i = 0; i < 700; ++i) s.weight[i] *= times[i];
  o.range = prepared.plan().variance;  // the bins of the data, not of the draw
  const RegressionItems weighted = s.items();
  const PreparedRegression again(weighted, all, o);
  for (const auto& [key, x] : again.finish(again.products()))
    EXPECT_TRUE(key == "uce_aleatoric" || x.value == scores[69].at(key).value) << key;
}

TEST(PreparedRegression, ProgressReachesTheEndAndACallerCanStop) {
  const RegressionItems items = simulate({.n = 300}).items();
  double share = 0;
  RegressionOptions o{.bootstrap = 40, .threads = 2, .progress = [&](double x) { share = x; }};
  (void)evaluate_regression(items, o);
  EXPECT_DOUBLE_EQ(share, 1);
  std::stop_source stop;
  o.cancel = stop.get_token();
  stop.request_stop();
  EXPECT_THROW((void)evaluate_regression(items, o), Cancelled);
}

}  // namespace
}  // namespace plumb::test
