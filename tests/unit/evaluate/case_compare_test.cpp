#include "plumb/evaluate/case_compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/cases.hpp"
#include "support/repetitions.hpp"

namespace plumb {
namespace {

using Masks = std::vector<std::int32_t>;

struct Sets {
  std::vector<std::string> names;
  std::vector<std::vector<Items>> models;  ///< by model and case
  std::vector<Items> pooled;               ///< by model, cases as groups
};

Items items_of(const std::vector<double>& p, const Masks& votes, std::int64_t raters) {
  const std::int64_t n = std::ssize(p);
  Items out;
  out.predictions = Predictions({Rows(array_of(p, {n}, "p"))}, Scale::probability);
  out.votes = Votes::from_ratings(Rows(array_of(votes, {n, raters}, "votes")), 2);
  return out;
}

/// Voxels of a case share a shift of their log-odds; every model is off by `bias` and by noise of its own
/// that a case shares too, so that models of one bias are exchangeable.
Sets make_sets(int cases, int voxels, const std::vector<double>& bias, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  constexpr std::int64_t kRaters = 2;
  Sets out;
  out.models.resize(bias.size());
  std::vector<std::vector<double>> all(bias.size());
  Masks all_votes;
  std::vector<std::string> group;
  for (int c = 0; c < cases; ++c) {
    out.names.push_back("case " + std::to_string(c));
    const double shift = normal(random);
    std::vector<double> own;
    for (std::size_t m = 0; m < bias.size(); ++m) own.push_back(0.4 * normal(random));
    std::vector<std::vector<double>> p(bias.size());
    Masks votes;
    for (int i = 0; i < voxels; ++i) {
      const double u = shift + 1.5 * normal(random);
      for (std::int64_t r = 0; r < kRaters; ++r)
        votes.push_back(uniform(random) < 1 / (1 + std::exp(-u)) ? 1 : 0);
      for (std::size_t m = 0; m < bias.size(); ++m)
        p[m].push_back(1 / (1 + std::exp(-(u + bias[m] + own[m] + 0.3 * normal(random)))));
      group.push_back(out.names.back());
    }
    for (std::size_t m = 0; m < bias.size(); ++m) {
      out.models[m].push_back(items_of(p[m], votes, kRaters));
      all[m].insert(all[m].end(), p[m].begin(), p[m].end());
    }
    all_votes.insert(all_votes.end(), votes.begin(), votes.end());
  }
  for (std::size_t m = 0; m < bias.size(); ++m) {
    out.pooled.push_back(items_of(all[m], all_votes, kRaters));
    const std::int64_t n = std::ssize(group);
    out.pooled.back().groups = Names(Rows(array_of(group, {n}, "groups")), "group");
  }
  return out;
}

std::vector<CaseModel> models_of(const Sets& sets) {
  std::vector<CaseModel> out;
  for (std::size_t m = 0; m < sets.models.size(); ++m)
    out.push_back({std::string(1, static_cast<char>('a' + m)), [&sets, m](std::int64_t i) {
                     return Case{.name = sets.names[i],
                                 .unit = sets.names[i],
                                 .slices = {},
                                 .raters = {"rater_1", "rater_2"},
                                 .items = sets.models[m][i]};
                   }});
  return out;
}

/// The pooled differences are those of all voxels in memory with cases as groups, bit for bit.
TEST(CaseCompare, PooledDifferencesAreThoseOfGroups) {
  const Sets sets = make_sets(12, 80, {0, 0.7, -0.4}, 1);
  EvaluateOptions o{.metrics = {"ece", "brier", "nll", "lsq", "ece_l2_debiased"}, .bootstrap = 60, .seed = 4};
  const CaseComparison cases = compare_cases(sets.names, models_of(sets), {.evaluate = o}, "b");
  const Comparison flat =
      compare({{"a", sets.pooled[0]}, {"b", sets.pooled[1]}, {"c", sets.pooled[2]}}, o, "b");
  ASSERT_EQ(cases.pooled.metrics.size(), flat.metrics.size());
  for (std::size_t k = 0; k < flat.metrics.size(); ++k) {
    const ComparedMetric &a = cases.pooled.metrics[k], &b = flat.metrics[k];
    ASSERT_EQ(a.key, b.key);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(a.values[m].value, b.values[m].value) << a.key;
    ASSERT_EQ(a.differences.size(), 2U);
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_EQ(a.differences[d].value, b.differences[d].value) << a.key;
      EXPECT_EQ(a.differences[d].low, b.differences[d].low) << a.key;
      EXPECT_EQ(a.differences[d].high, b.differences[d].high) << a.key;
      EXPECT_EQ(a.differences[d].p_value, b.differences[d].p_value) << a.key;
      EXPECT_EQ(a.differences[d].adjusted, b.differences[d].adjusted) << a.key;
    }
    EXPECT_EQ(a.best, b.best) << a.key;
  }
  EXPECT_EQ(cases.pooled.votes, flat.votes);
}

TEST(CaseCompare, VerdictsAreThoseOfEvaluate) {
  const Sets sets = make_sets(12, 80, {0, 1.5}, 3);
  const std::vector<CaseModel> models = models_of(sets);
  const CasesOptions with_ece{.evaluate = {.metrics = {"ece"}, .bootstrap = 60}},
      without{.evaluate = {.metrics = {"brier"}, .bootstrap = 60}};
  const CaseComparison c = compare_cases(sets.names, models, without);
  ASSERT_EQ(c.pooled.judged.size(), 2U);
  EXPECT_TRUE(c.means.judged.empty());
  for (const CaseModel& m : models) {
    const Verdict own = evaluate_cases(sets.names, m.read, with_ece).verdict,
                  &here = *c.pooled.verdict_of(m.name);
    EXPECT_EQ(here.verdict, own.verdict);
    EXPECT_EQ(here.estimate, own.estimate);
    EXPECT_EQ(here.high, own.high);
    EXPECT_EQ(here.p_value, own.p_value);
  }
}

// A bootstrap of fewer than ten cases rejects far too often.
TEST(CaseCompare, FewCasesAreNotTested) {
  const Sets sets = make_sets(9, 60, {0, 0.7}, 2);
  const CaseComparison c =
      compare_cases(sets.names, models_of(sets), {.evaluate = {.metrics = {"brier"}, .bootstrap = 80}});
  for (const Comparison* part : {&c.pooled, &c.means}) {
    const Difference& d = (*part)["brier"].differences[0];
    EXPECT_TRUE(d.low && d.high);
    EXPECT_FALSE(d.p_value || d.adjusted);
  }
}

TEST(CaseCompare, MeansAreThoseOfTheCases) {
  const Sets sets = make_sets(12, 60, {0, 0.7}, 2);
  const EvaluateOptions o{.metrics = {"ece", "brier"}, .bootstrap = 80};
  const CaseComparison c = compare_cases(sets.names, models_of(sets), {.evaluate = o});
  for (const char* const key : {"ece", "brier"}) {
    const ComparedMetric& m = c.means[key];
    double mean[2] = {0, 0};
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < 12; ++i)
        mean[k] += *evaluate(sets.models[k][i], {.metrics = {key}})[key].value / 12;
    EXPECT_NEAR(*m.values[0].value, mean[0], 1e-14);
    EXPECT_NEAR(*m.values[1].value, mean[1], 1e-14);
    ASSERT_EQ(m.differences.size(), 1U);
    const Difference& d = m.differences[0];
    EXPECT_NEAR(*d.value, mean[1] - mean[0], 1e-14);
    EXPECT_LT(*d.low, *d.value);
    EXPECT_GT(*d.high, *d.value);
    EXPECT_GE(*d.adjusted, *d.p_value);
  }
  EvaluateOptions threads = o;
  threads.threads = 3;
  const CaseComparison again = compare_cases(sets.names, models_of(sets), {.evaluate = threads});
  EXPECT_EQ(again.means["ece"].differences[0].low, c.means["ece"].differences[0].low);
  EXPECT_EQ(again.pooled["ece"].differences[0].high, c.pooled["ece"].differences[0].high);
}

/// Law: exchangeable models are told apart in about one of twenty sets, and a worse one is found. The bands
/// are 5% and three standard errors of the number of sets, and what percentile intervals of 20 units may add.
TEST(CaseCompare, LevelAndPower) {
  const int sets = test::repetitions(400, 60), cases = 20;
  const EvaluateOptions o{.metrics = {"ece", "brier"}, .bootstrap = 100, .threads = 1};
  int pooled = 0, mean = 0, any = 0, found = 0;
  for (int s = 0; s < sets; ++s) {
    const Sets same = make_sets(cases, 40, {0, 0}, 100 + s);
    const CaseComparison c = compare_cases(same.names, models_of(same), {.evaluate = o});
    pooled += *c.pooled["brier"].differences[0].p_value <= 0.05;
    mean += *c.means["brier"].differences[0].p_value <= 0.05;
    any += c.means["ece"].clear || c.means["brier"].clear;
    const Sets other = make_sets(cases, 40, {0, 1.2}, 9000 + s);
    found += compare_cases(other.names, models_of(other), {.evaluate = o}).means["brier"].clear;
  }
  const double error = std::sqrt(0.05 * 0.95 / sets), most = sets * (0.08 + 3 * error);
  EXPECT_LE(pooled, most);
  EXPECT_LE(mean, most);
  EXPECT_LE(any, most);
  EXPECT_GE(pooled + mean, 1);
  EXPECT_GE(found, 0.9 * sets);
  RecordProperty("rejected_pooled", pooled);
  RecordProperty("rejected_mean", mean);
  std::printf("of %d: pooled %d, mean %d, any adjusted %d, found %d\n", sets, pooled, mean, any, found);
}

TEST(CaseCompare, WhatIsWrongNamesCaseAndModel) {
  Sets sets = make_sets(4, 30, {0, 0}, 3);
  const auto said = [&](const EvaluateOptions& o) {
    try {
      (void)compare_cases(sets.names, models_of(sets), {.evaluate = o});
    } catch (const InputError& e) {
      return e.sentence();
    }
    return std::string();
  };
  EXPECT_NE(said({.metrics = {"auroc"}}).find("auroc needs all voxels sorted"), std::string::npos);
  sets.models[1][2] = make_sets(4, 30, {0}, 8).models[0][2];
  EXPECT_NE(said({.metrics = {"ece"}}).find("case case 2 of model b: its masks differ"), std::string::npos);
  sets.models[1][2] = make_sets(4, 29, {0}, 8).models[0][2];
  EXPECT_NE(said({.metrics = {"ece"}}).find("29 voxels for model b and 30"), std::string::npos);
  EXPECT_THROW((void)compare_cases(sets.names, models_of(make_sets(4, 3, {0}, 1)), {}), InputError);
}

}  // namespace
}  // namespace plumb
