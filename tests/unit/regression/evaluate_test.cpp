#include "plumb/regression/evaluate.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "plumb/data/check.hpp"
#include "plumb/numeric/simd.hpp"
#include "plumb/registry.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

std::vector<SimulatedRegression> cases() {
  return {simulate({.n = 700, .factor = 1.4}),
          simulate({.n = 400, .outputs = 3, .factor = 0.7, .parts = true, .seed = 2}),
          simulate({.n = 500, .factor = 2, .bias = 0.4, .parts = true, .weights = true, .seed = 3})};
}

void expect_same(const Result& a, const Result& b, const std::string& what) {
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    const auto& [key, x] = a.metrics[i];
    const MetricResult& y = b.metrics[i].second;
    EXPECT_EQ(x.value, y.value) << what << " " << key;
    EXPECT_EQ(x.low, y.low) << what << " " << key;
    EXPECT_EQ(x.high, y.high) << what << " " << key;
  }
}

TEST(RegressionContract, EveryKeyIsThereAndInRange) {
  for (const SimulatedRegression& s : cases()) {
    const Result r = evaluate_regression(s.items(), {.bootstrap = 20});
    std::size_t expected = 0;
    for (const MetricRow& row : regression_metrics())
      expected += static_cast<std::size_t>(!s.aleatoric.empty() ||
                                           (row.key != "uce_mc" && row.key != "uce_aleatoric"));
    EXPECT_EQ(r.metrics.size(), expected);
    for (const auto& [key, m] : r.metrics) {
      ASSERT_TRUE(m.value) << key << ": " << m.why;
      const MetricRow* row = find_regression_metric(key);
      EXPECT_GE(*m.value, row->low) << key;
      EXPECT_LE(*m.value, row->high) << key;
      ASSERT_EQ(m.low && m.high, row->interval != Interval::none) << key;
      EXPECT_LE(m.low.value_or(0), m.high.value_or(0)) << key;
    }
  }
}

TEST(RegressionContract, SameBitsForThreadsTargetsAndOrder) {
  for (const SimulatedRegression& s : cases()) {
    RegressionOptions o{.bootstrap = 12, .threads = 1};
    const Result one = evaluate_regression(s.items(), o);
    for (const int threads : {2, 16}) {
      o.threads = threads;
      expect_same(one, evaluate_regression(s.items(), o), "threads");
    }
    for (const std::string& target : simd_targets()) {
      force_simd_target(target);
      const Result forced = evaluate_regression(s.items(), o);
      force_simd_target("");
      expect_same(one, forced, target);
    }
    o.bootstrap = 0;
    const Result plain = evaluate_regression(s.items(), o);
    expect_same(plain, evaluate_regression(s.take(shuffled(static_cast<std::size_t>(s.n), 5)).items(), o),
                "order");
  }
}

TEST(RegressionContract, WeightTwoIsTheRowTwice) {
  SimulatedRegression s = simulate({.n = 600, .factor = 1.3, .parts = true, .weights = true});
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 600; ++i) rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
  const SimulatedRegression twice = s.take(rows);
  for (std::size_t i = 0; i < 600; i += 3) s.weight[i] *= 2;
  const Result a = evaluate_regression(s.items(), {}), b = evaluate_regression(twice.items(), {});
  for (std::size_t i = 0; i < a.metrics.size(); ++i)
    EXPECT_NEAR(*a.metrics[i].second.value, *b.metrics[i].second.value, 1e-12) << a.metrics[i].first;
}

TEST(RegressionContract, OneItemAndBadInput) {
  const Result r = evaluate_regression(simulate({.n = 1}).items(), {.bootstrap = 5});
  for (const auto& [key, m] : r.metrics) EXPECT_TRUE(m.value || !m.why.empty()) << key;
  EXPECT_THROW((void)evaluate_regression(simulate({.n = 0}).items(), {}), InputError);
  SimulatedRegression s = simulate({.n = 5});
  s.weight.assign(5, 0.0);
  EXPECT_THROW((void)evaluate_regression(s.items(), {}), InputError);
  s = simulate({.n = 5});
  EXPECT_THROW((void)evaluate_regression(s.items(), {.metrics = {"uce_mc"}}), InputError);
  EXPECT_THROW((void)evaluate_regression(s.items(), {.range = RegressionRange{2, 1}}), InputError);
  try {
    (void)evaluate_regression(s.items(), {.metrics = {"uec"}});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("\"uce\""), std::string::npos) << e.what();
  }
}

TEST(RegressionContract, EveryKeyHasADocsPage) {
  std::string text;
  for (const auto& f : std::filesystem::directory_iterator(std::string(PLUMB_SOURCE_DIR) + "/docs/metrics")) {
    std::ifstream in(f.path());
    std::stringstream s;
    s << in.rdbuf();
    text += s.str();
  }
  for (const MetricRow& row : regression_metrics())
    EXPECT_NE(text.find("`" + std::string(row.key) + "`"), std::string::npos)
        << row.key << " is not documented";
}

TEST(EvaluateRegression, GroupsWidenTheIntervals) {
  // Ten copies of each item in one group have the information of one: the interval must be that of
  // the originals.
  const SimulatedRegression s = simulate({.n = 200});
  std::vector<std::size_t> rows;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 200; ++i)
    for (int k = 0; k < 10; ++k) {
      rows.push_back(i);
      names.push_back("g" + std::to_string(i));
    }
  RegressionItems copies = s.take(rows).items();
  const RegressionOptions o{.metrics = {"mse"}, .bootstrap = 400};
  const MetricResult alone = evaluate_regression(s.items(), o).metrics[0].second;
  const MetricResult wrong = evaluate_regression(copies, o).metrics[0].second;
  copies.groups = Names(Rows(array_of(names, {2000}, "g")));
  const MetricResult right = evaluate_regression(copies, o).metrics[0].second;
  EXPECT_NEAR((*right.high - *right.low) / (*alone.high - *alone.low), 1, 0.2);
  EXPECT_LT(*wrong.high - *wrong.low, 0.5 * (*right.high - *right.low));
}

TEST(EvaluateRegression, SlicesAndTables) {
  const SimulatedRegression s = simulate({.n = 300, .outputs = 2});
  RegressionItems items = s.items();
  std::vector<std::string> by;
  for (int i = 0; i < 300; ++i) by.emplace_back(i < 100 ? "a" : "b");
  items.by = {Names(Rows(array_of(by, {300}, "by")))};
  const Result r = evaluate_regression(items, {});
  ASSERT_EQ(r.per_group.size(), 2u);
  EXPECT_EQ(r.per_group[0].items, 100);
  std::vector<std::size_t> first(100);
  for (std::size_t i = 0; i < 100; ++i) first[i] = i;
  const Result alone = evaluate_regression(s.take(first).items(), {});
  for (std::size_t i = 0; i < alone.metrics.size(); ++i)
    EXPECT_EQ(r.per_group[0].metrics[i].second, alone.metrics[i].second.value) << alone.metrics[i].first;
  std::vector<std::string> names;
  for (const auto& [name, t] : r.tables) names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"uncertainty_reliability", "intervals", "rejection", "per_output"}));
  EXPECT_EQ(r.tables[0].second.rows.size(), 15u);
  EXPECT_EQ(r.tables[3].second.rows.size(), 2u);
}

}  // namespace
}  // namespace plumb::test
