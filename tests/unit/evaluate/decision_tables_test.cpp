// Decisions at thresholds, from items to tables.
#include "evaluate/decision_tables.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/resample/interval.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

const Table& table(const Result& r, const std::string& name) {
  for (const auto& [key, t] : r.tables)
    if (key == name) return t;
  throw std::logic_error("no table " + name);
}

double entry(const Table& t, std::size_t row, const std::string& column) {
  const auto at = std::find(t.columns.begin(), t.columns.end(), column) - t.columns.begin();
  return std::get<double>(t.rows.at(row).at(at));
}

EvaluateOptions at_thresholds(int bootstrap) {
  return {.metrics = {"ece"}, .bootstrap = bootstrap, .thresholds = {0.6, 0.255}, .consensus = false};
}

TEST(DecisionTables, HaveTheThresholdsAskedForAndACurve) {
  const Result r = evaluate(to_items(simulate({.n = 300, .seed = 3}), VoteForm::labels), at_thresholds(0));
  const Table& t = table(r, "thresholds");
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_EQ(entry(t, 0, "threshold"), 0.255);  // ascending
  EXPECT_EQ(entry(t, 1, "threshold"), 0.6);
  EXPECT_GT(entry(t, 0, "sensitivity"), entry(t, 1, "sensitivity"));
  EXPECT_THROW(entry(t, 0, "sensitivity_low"), std::bad_variant_access);  // no replicates, no interval
  EXPECT_EQ(table(r, "decision_curve").rows.size(), 100u);                // 99, and 0.255
  EXPECT_EQ(entry(table(r, "decision_curve"), 0, "treat_none"), 0);
}

// One vote per item: Wilson's interval of the counts; the replicates do not matter.
TEST(DecisionTables, SharesOfSingleVotesHaveWilsonsInterval) {
  const Simulated s = simulate({.n = 300, .seed = 3});
  const Result r = evaluate(to_items(s, VoteForm::labels), at_thresholds(20));
  double positives = 0;
  for (const auto& v : s.votes) positives += v.front() == 1;
  const Table& t = table(r, "thresholds");
  const Bounds b = wilson_bounds(entry(t, 0, "sensitivity"), positives, 0.95);
  EXPECT_DOUBLE_EQ(entry(t, 0, "sensitivity_low"), b.low);
  EXPECT_DOUBLE_EQ(entry(t, 0, "sensitivity_high"), b.high);
  EXPECT_LT(entry(t, 0, "net_benefit_low"), entry(t, 0, "net_benefit"));
  EXPECT_GT(entry(t, 0, "net_benefit_high"), entry(t, 0, "net_benefit"));
}

// Items of a group that vote alike count once: intervals are wider than those of as many single items.
TEST(DecisionTables, GroupsWidenIntervals) {
  Simulated s = simulate({.n = 60, .seed = 3});
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < s.size(); ++i) rows.insert(rows.end(), 5, i);
  Simulated copies = take(s, rows);
  const Result single = evaluate(to_items(copies, VoteForm::labels), at_thresholds(100));
  for (std::size_t i = 0; i < copies.size(); ++i) copies.group.push_back(static_cast<int>(i / 5));
  const Result grouped = evaluate(to_items(copies, VoteForm::labels), at_thresholds(100));
  for (const std::string name : {"sensitivity", "specificity", "net_benefit"}) {
    const auto width = [&](const Result& r) {
      return entry(table(r, "thresholds"), 0, name + "_high") -
             entry(table(r, "thresholds"), 0, name + "_low");
    };
    EXPECT_EQ(entry(table(single, "thresholds"), 0, name), entry(table(grouped, "thresholds"), 0, name));
    EXPECT_GT(width(grouped), 1.5 * width(single)) << name;
  }
}

TEST(DecisionTables, SameBitsForAnyThreads) {
  const Items items = to_items(simulate({.n = 300, .raters = 3, .vary = true, .seed = 4}), VoteForm::counts);
  EvaluateOptions o = at_thresholds(30);
  o.threads = 1;
  const Result one = evaluate(items, o);
  o.threads = 4;
  const Result four = evaluate(items, o);
  EXPECT_EQ(table(one, "thresholds").rows, table(four, "thresholds").rows);
  EXPECT_EQ(table(one, "decision_curve").rows, table(four, "decision_curve").rows);
}

TEST(DecisionTables, DifferencesOfTwoModels) {
  const Simulated s = simulate({.n = 400, .seed = 5});
  Simulated blunt = s;
  for (double& z : blunt.z) z = 0.3;  // treats everyone at 0.255, no one at 0.6
  const EvaluateOptions o = at_thresholds(50);
  const Items a = to_items(blunt, VoteForm::labels), b = to_items(s, VoteForm::labels);
  const Table t = compare({{"blunt", a}, {"sharp", b}}, o).net_benefit;
  ASSERT_EQ(t.rows.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const double want = entry(table(evaluate(b, o), "thresholds"), i, "net_benefit") -
                        entry(table(evaluate(a, o), "thresholds"), i, "net_benefit");
    EXPECT_NEAR(entry(t, i, "difference"), want, 1e-15);
    EXPECT_LE(entry(t, i, "low"), want);
    EXPECT_GE(entry(t, i, "high"), want);
    EXPECT_GT(want, 0);
  }
  EXPECT_TRUE(compare({{"a", a}, {"b", b}}, {.metrics = {"ece"}}).net_benefit.rows.empty());
}

TEST(DecisionTables, BadThresholdsAreRefused) {
  const Items two = to_items(simulate({.n = 30}), VoteForm::labels);
  const Items four = to_items(simulate({.n = 30, .classes = 4}), VoteForm::labels);
  EvaluateOptions o{.metrics = {"ece"}, .thresholds = {1.0}};
  EXPECT_THROW((void)evaluate(two, o), InputError);
  o.thresholds = {0.5};
  EXPECT_THROW((void)evaluate(four, o), InputError);
}

}  // namespace
}  // namespace plumb::test
