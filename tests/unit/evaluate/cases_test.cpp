#include "plumb/evaluate/cases.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/registry.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

struct Set {
  Simulated all;
  std::vector<std::string> names;
  std::vector<Items> cases;
  Items pooled;
};

/// Cases of different sizes; group i of the whole is case i.
Set make_set(int classes, int cases, std::uint64_t seed = 5) {
  Set out;
  out.all = test::simulate({.n = 1200,
                            .classes = classes,
                            .raters = 3,
                            .vary = true,
                            .sharpen = 1.6,
                            .groups = cases,
                            .seed = seed});
  out.pooled = test::to_items(out.all, VoteForm::ratings);
  for (int c = 0; c < cases; ++c) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < out.all.size(); ++i)
      if (out.all.group[i] == c) rows.push_back(i);
    Simulated part = test::take(out.all, rows);
    part.group.clear();
    out.cases.push_back(test::to_items(part, VoteForm::ratings));
    out.names.push_back(std::to_string(c));
  }
  return out;
}

Result run(const Set& set, CasesOptions options, EvaluateState* state = nullptr) {
  const auto read = [&](std::int64_t i) {
    return Case{set.names[i],
                set.names[i],
                std::vector<std::string>(options.by.size(), i % 2 == 0 ? "even" : "odd"),
                {"rater_1", "rater_2", "rater_3"},
                set.cases[i]};
  };
  return evaluate_cases(set.names, read, options, state);
}

std::optional<double> value(const Result& r, const std::string& key) { return r[key].value; }

const Tree::Members& section(const Result& r, const std::string& name) {
  for (const auto& [key, tree] : r.sections)
    if (key == name) return std::get<Tree::Members>(tree.node);
  throw std::out_of_range(name);
}

double number(const Tree& tree) { return std::get<double>(std::get<Value>(tree.node)); }

TEST(Cases, AValueHasAnIntervalOrTheReasonWhyNot) {
  const Result r = run(make_set(2, 12), {.evaluate = {.bootstrap = 20}, .by = {"scanner"}});
  int bounds = 0, reasons = 0;
  for (const auto& [key, m] : r.metrics) {
    if (!m.value) continue;
    EXPECT_NE(m.low.has_value(), !m.interval_why.empty()) << key;
    ++(m.low ? bounds : reasons);
  }
  EXPECT_GT(bounds, 5);
  EXPECT_GT(reasons, 5);
  EXPECT_TRUE(r["auroc"].low && r["aurc"].low);
  EXPECT_EQ(r["ece_mass"].interval_why, "replicates of cases are sums, and this metric needs every voxel");
  for (const auto& [key, m] : r.consensus) EXPECT_EQ(m.interval_why.empty(), !m.value.has_value()) << key;
  ASSERT_EQ(r.per_group.size(), 2u);
  for (const GroupResult& g : r.per_group) EXPECT_FALSE(g.interval_why.empty());
}

/// A replicate has the votes of the same draw of all voxels, at the means of the rungs of the grid.
TEST(Cases, SortedMetricsHaveTheIntervalsOfAllVoxels) {
  for (const int classes : {2, 3}) {
    const Set set = make_set(classes, 12);
    const EvaluateOptions o{.metrics = {"auroc", "auprc", "aurc", "eaurc", "augrc"}, .bootstrap = 60};
    const Result expected = evaluate(set.pooled, o), pooled = run(set, {.evaluate = o});
    for (const auto& [key, m] : expected.metrics) {
      ASSERT_TRUE(m.low && pooled[key].low) << key;
      constexpr double kStep = 2e-3;  // some of these few forecasts share a rung
      EXPECT_NEAR(*pooled[key].low, *m.low, kStep) << key << " of " << classes;
      EXPECT_NEAR(*pooled[key].high, *m.high, kStep) << key << " of " << classes;
    }
  }
  const Result many = run(make_set(2, 3), {.evaluate = {.metrics = {"auroc"}, .bootstrap = 1001}});
  EXPECT_FALSE(many["auroc"].low);
}

/// Few distinct p: the ladder is exact too, and every key but those over items' columns is that of one run.
TEST(Cases, PooledKeysAreThoseOfOneRun) {
  for (const int classes : {2, 3}) {
    const Set set = make_set(classes, 7);
    const EvaluateOptions o{.bandwidth = 0.05};
    Items whole = set.pooled;
    whole.groups = {};
    const Result expected = evaluate(whole, o), pooled = run(set, {.evaluate = o});
    EXPECT_EQ(pooled.items, expected.items);
    EXPECT_EQ(pooled.votes, expected.votes);
    int same = 0;
    for (const auto& [key, m] : expected.metrics) {
      ASSERT_EQ(pooled[key].value.has_value(), m.value.has_value()) << key;
      if (!m.value) continue;
      const MetricRow* row = find_metric(key);
      const double scale = row->room == Room::streaming ? 0 : 1e-12;  // the order of columns' sums may differ
      EXPECT_NEAR(*pooled[key].value, *m.value, scale * (1 + std::fabs(*m.value))) << key;
      ++same;
    }
    EXPECT_GT(same, 30);
    ASSERT_EQ(pooled.consensus.size(), expected.consensus.size());
    for (std::size_t i = 0; i < expected.consensus.size(); ++i) {
      const auto& [key, m] = expected.consensus[i];
      if (find_metric(key)->room == Room::streaming) {
        EXPECT_EQ(pooled.consensus[i].second.value, m.value) << key;
        continue;
      }
      if (key == "ece_kde_classwise" && classes == 3) continue;  // of the votes alone
      if (key == "cox_score" || key == "spiegelhalter_z" || key == "eaurc") {
        EXPECT_NE(pooled.consensus[i].second.why.find("tied raters"), std::string::npos) << key;
        continue;
      }
      // Kernel errors leave out a vote of the whole weight here, and half of one there, where raters tie.
      const double off = key.starts_with("ece_kde") ? 0.02 : 1e-12;
      ASSERT_EQ(pooled.consensus[i].second.value.has_value(), m.value.has_value()) << key;
      if (m.value) {
        EXPECT_NEAR(*pooled.consensus[i].second.value, *m.value, off * (1 + std::fabs(*m.value))) << key;
      }
    }
  }
}

/// A draw of cases is the draw of groups that one run makes: the same bounds, bit for bit.
TEST(Cases, IntervalsAreThoseOfGroups) {
  const Set set = make_set(2, 12);
  const EvaluateOptions o{
      .metrics = {"brier", "nll", "oe_ratio", "lsq", "agreement"}, .bootstrap = 60, .seed = 3};
  const Result expected = evaluate(set.pooled, o), pooled = run(set, {.evaluate = o});
  for (const auto& [key, m] : expected.metrics) {
    EXPECT_EQ(pooled[key].value, m.value) << key;
    ASSERT_TRUE(m.low && pooled[key].low) << key;
    EXPECT_EQ(*pooled[key].low, *m.low) << key;
    EXPECT_EQ(*pooled[key].high, *m.high) << key;
  }
}

TEST(Cases, OrderThreadsAndStateDoNotMatter) {
  Set set = make_set(2, 6);
  const EvaluateOptions o{.metrics = {"ece", "ks", "auroc", "brier"}, .bootstrap = 40, .threads = 1};
  EvaluateState state;
  const Result one = run(set, {.evaluate = o}, &state);
  EXPECT_EQ(*finish(state, o)["ece"].value, *value(one, "ece"));
  std::reverse(set.cases.begin(), set.cases.end());
  std::reverse(set.names.begin(), set.names.end());
  EvaluateOptions more = o;
  more.threads = 3;
  const Result other = run(set, {.evaluate = more});
  for (const auto& [key, m] : one.metrics) {
    EXPECT_EQ(other[key].value, m.value) << key;
    EXPECT_EQ(other[key].low, m.low) << key;
    EXPECT_EQ(other[key].p_value, m.p_value) << key;
  }
}

TEST(Cases, EachCaseRaterAndSlice) {
  const Set set = make_set(2, 4);
  const EvaluateOptions o{.metrics = {"ece", "brier", "auroc"}};
  const Result r = run(set, {.evaluate = o, .by = {"half"}});
  double sum = 0;
  std::vector<double> by_case;
  for (const Items& items : set.cases) by_case.push_back(*evaluate(items, o)["ece"].value);
  for (const double x : by_case) sum += x;
  const Tree::Members& over = std::get<Tree::Members>(section(r, "cases")[1].second.node);
  EXPECT_EQ(section(r, "cases")[1].first, "ece");
  EXPECT_NEAR(number(over[0].second), sum / 4, 1e-15);
  double squares = 0;
  for (const double x : by_case) squares += (x - sum / 4) * (x - sum / 4);
  EXPECT_NEAR(number(over[1].second), std::sqrt(squares / 3), 1e-15);
  std::sort(by_case.begin(), by_case.end());
  EXPECT_NEAR(number(over[2].second), (by_case[1] + by_case[2]) / 2, 1e-15);

  // A rater alone: the first vote of every item.
  Simulated first = set.all;
  for (auto& v : first.votes) v.resize(1);
  first.group.clear();
  const Result alone = evaluate(test::to_items(first, VoteForm::labels), o);
  const Tree::Members& rater = std::get<Tree::Members>(section(r, "per_rater")[0].second.node);
  EXPECT_EQ(section(r, "per_rater")[0].first, "rater_1");
  EXPECT_EQ(rater[0].first, "brier");
  EXPECT_EQ(number(rater[0].second), *alone["brier"].value);
  EXPECT_EQ(number(rater[1].second), *alone["ece"].value);
  EXPECT_EQ(rater[2].first, "auroc");
  EXPECT_NEAR(number(rater[2].second), *alone["auroc"].value, 1e-12);

  ASSERT_EQ(r.per_group.size(), 2U);
  EXPECT_EQ(r.per_group[0].group, "even");
  EXPECT_EQ(r.per_group[0].items + r.per_group[1].items, r.items);
  EXPECT_EQ(r.per_group[0].metrics.back().first, "auroc");
}

TEST(Cases, WhatCannotBeReadStopsOrIsSkipped) {
  const Set set = make_set(2, 3);
  const auto read = [&](std::int64_t i) {
    if (i == 1) throw InputError("a.nii is damaged");
    return Case{set.names[i], set.names[i], {}, {"a", "b", "c"}, set.cases[i]};
  };
  CasesOptions options{.evaluate = {.metrics = {"ece"}}};
  try {
    (void)evaluate_cases(set.names, read, options);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.sentence(), "case 1: a.nii is damaged");
  }
  options.skip_errors = true;
  const Result r = evaluate_cases(set.names, read, options);
  EXPECT_EQ(r.items, set.cases[0].size() + set.cases[2].size());
  EXPECT_NE(r.notes.back().find("1 case could not be read"), std::string::npos);
  const auto none = [](std::int64_t) -> Case { throw InputError("gone"); };
  EXPECT_THROW((void)evaluate_cases(set.names, none, options), InputError);
}

/// With five units no pattern of signs is rarer than one in 16, up to turning all of them.
TEST(Cases, FewCasesCannotReject) {
  const Set set = make_set(2, 4);
  const Result r = run(set, {.evaluate = {.metrics = {"ece"}, .bootstrap = 200}});
  EXPECT_GT(*r["ece"].p_value, 0.05);
  EXPECT_NE(r.verdict.verdict, "trustworthy");
}

}  // namespace
}  // namespace plumb
