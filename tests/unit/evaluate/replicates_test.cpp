// Replicates in states: intervals, p-values and the verdict are those of one pass, for any split.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/registry.hpp"
#include "plumb/resample/interval.hpp"
#include "support/make_items.hpp"
#include "support/repetitions.hpp"

namespace plumb::test {
namespace {

Names names_of(std::span<const std::int64_t> numbers) {
  std::vector<std::string> text;
  for (const std::int64_t x : numbers) text.push_back("unit " + std::to_string(x));
  const auto n = static_cast<std::int64_t>(text.size());
  return Names(Rows(array_of(std::move(text), {n}, "ids")));
}

struct Part {
  Items items;
  Names ids;
};

/// The items of some rows, with their ids if there are no groups.
Part part_of(const Items& items, const std::vector<std::int64_t>& rows) {
  return {items.gather(rows), items.groups.empty() ? names_of(rows) : Names()};
}

EvaluateState state_of(const Part& part, const EvaluateOptions& o) {
  EvaluateState s = evaluate_state(part.items, o);
  add_replicates(part.items, part.ids, o, s);
  return s;
}

std::vector<std::int64_t> all_rows(const Items& items) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(items.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  return rows;
}

void expect_same(const MetricResult& a, const MetricResult& b, const std::string& what) {
  EXPECT_EQ(a.value, b.value) << what;
  EXPECT_EQ(a.low, b.low) << what;
  EXPECT_EQ(a.high, b.high) << what;
  EXPECT_EQ(a.interval, b.interval) << what;
  EXPECT_EQ(a.null_mean, b.null_mean) << what;
  EXPECT_EQ(a.p_value, b.p_value) << what;
}

struct Example {
  const char* name;
  SimulateOptions data;
  VoteForm form;
  NullKind null = NullKind::model;
};
const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"single votes", {.n = 400, .sharpen = 1.4, .seed = 3}, VoteForm::labels},
      {"groups, signs",
       {.n = 300, .sharpen = 1.3, .groups = 25, .seed = 4},
       VoteForm::labels,
       NullKind::signs},
      {"groups", {.n = 300, .sharpen = 1.3, .groups = 25, .seed = 5}, VoteForm::labels},
      {"three classes, raters",
       {.n = 250, .classes = 3, .raters = 4, .vary = true, .seed = 6},
       VoteForm::counts},
      {"more forecasts than are kept", {.n = 6000, .sharpen = 1.2, .seed = 9}, VoteForm::labels},
      {"rounded forecasts", {.n = 500, .sharpen = 1.2, .rounding = 20, .seed = 7}, VoteForm::labels},
  };
  return all;
}

EvaluateOptions options_of(const Example& e) {
  EvaluateOptions o;
  o.metrics = {"all"};
  o.bootstrap = 40;
  o.seed = 11;
  o.null = e.null;
  return o;
}

// The law of the whole file: a random split into 2 to 50 parts, merged in a random tree.
TEST(StateReplicates, AnySplitAndAnyTreeIsOnePass) {
  for (const Example& e : examples()) {
    const Items items = to_items(simulate(e.data), e.form);
    const EvaluateOptions o = options_of(e);
    const EvaluateState whole = state_of(part_of(items, all_rows(items)), o);
    const Result one = finish(whole, o);
    for (int split = 0; split < repetitions(200, 3); ++split) {
      RandomStream rng(static_cast<std::uint64_t>(split), Purpose::demo, 5);
      std::vector<std::vector<std::int64_t>> rows(2 + rng.below(49));
      for (std::int64_t i = 0; i < items.size(); ++i) rows[rng.below(rows.size())].push_back(i);
      std::vector<EvaluateState> parts;
      for (const auto& r : rows)
        if (!r.empty()) parts.push_back(state_of(part_of(items, r), o));
      while (parts.size() > 1) {
        const std::size_t a = rng.below(parts.size());
        EvaluateState from = deserialize_state(serialize(parts[a]), "a part");
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(a));
        merge(parts[rng.below(parts.size())], from);
      }
      ASSERT_EQ(serialize(parts[0]), serialize(whole)) << e.name << ", split " << split;
      const Result merged = finish(parts[0], o);
      for (std::size_t k = 0; k < one.metrics.size(); ++k)
        expect_same(merged.metrics[k].second, one.metrics[k].second, e.name + (": " + one.metrics[k].first));
      EXPECT_EQ(merged.verdict.verdict, one.verdict.verdict) << e.name;
      EXPECT_EQ(merged.verdict.p_value, one.verdict.p_value) << e.name;
    }
  }
}

// With groups the units are the same as those of evaluate(): so are the numbers.
TEST(StateReplicates, OfGroupsAreThoseOfEvaluate) {
  for (const Example& e : examples()) {
    if (e.data.groups == 0) continue;
    const Items items = to_items(simulate(e.data), e.form);
    const EvaluateOptions o = options_of(e);
    const Result plain = evaluate(items, o), merged = finish(state_of(part_of(items, all_rows(items)), o), o);
    std::set<std::string> with_interval;
    for (const auto& [key, m] : merged.metrics) {
      const MetricResult& p = find_result(plain.metrics, key);
      if (m.low) {
        with_interval.insert(key);
        EXPECT_EQ(m.low, p.low) << e.name << ": " << key;
        EXPECT_EQ(m.high, p.high) << e.name << ": " << key;
        EXPECT_EQ(m.interval, p.interval) << e.name << ": " << key;
      } else if (m.value && p.low) {
        EXPECT_FALSE(m.interval_why.empty()) << e.name << ": " << key;
      }
      if (m.p_value) {
        EXPECT_EQ(e.null, NullKind::signs);
        EXPECT_EQ(m.p_value, p.p_value) << e.name << ": " << key;
        EXPECT_EQ(m.null_mean, p.null_mean) << e.name << ": " << key;
      }
    }
    for (const char* key : {"ece", "ece_corrected", "ece_classwise", "brier", "nll", "accuracy", "oe_ratio",
                            "auroc", "ece_mass"})
      EXPECT_TRUE(with_interval.contains(key)) << e.name << ": " << key;
    EXPECT_EQ(merged.verdict.high, plain.verdict.high) << e.name;
    EXPECT_EQ(merged.verdict.estimate, plain.verdict.estimate) << e.name;
  }
}

// With ids the units are names again, in evaluate() too.
TEST(StateReplicates, OfIdsAreThoseOfEvaluate) {
  for (const Example& e : {examples()[0], examples().back()}) {
    const Items items = to_items(simulate(e.data), e.form);
    const EvaluateOptions o = options_of(e);
    const Part all = part_of(items, all_rows(items));
    const Result plain = evaluate(items, o, nullptr, all.ids), merged = finish(state_of(all, o), o);
    std::size_t bounds = 0, tests = 0;
    for (const auto& [key, m] : merged.metrics) {
      if (!m.value || key == "skce") continue;  // its sums over pairs of rows and of steps are rounded apart
      expect_same(m, find_result(plain.metrics, key), e.name + (": " + key));
      bounds += m.low ? 1 : 0;
      tests += m.p_value ? 1 : 0;
    }
    EXPECT_GT(bounds, 25U);
    EXPECT_GT(tests, 12U);
    EXPECT_EQ(merged.verdict.p_value, plain.verdict.p_value) << e.name;
    EXPECT_EQ(merged.verdict.high, plain.verdict.high) << e.name;
    std::vector<std::int64_t> rows = all_rows(items);
    std::reverse(rows.begin(), rows.end());
    const Result turned = evaluate(items.gather(rows), o, nullptr, names_of(rows));
    for (const auto& [key, m] : turned.metrics)
      expect_same(m, find_result(plain.metrics, key), e.name + (", reversed: " + key));
  }
}

// An independent computation for single votes: the weights and outcomes of each id.
TEST(StateReplicates, OfIdsAreKeyedByTheId) {
  const Example& e = examples()[0];
  const Simulated s = simulate(e.data);
  const Items items = to_items(s, e.form);
  const EvaluateOptions o = options_of(e);
  const Result r = finish(state_of(part_of(items, all_rows(items)), o), o);
  std::vector<double> brier, drawn_gap;
  double gap = 0;
  for (std::size_t i = 0; i < s.size(); ++i) gap += s.z[i] - s.votes[i][0];
  for (std::uint32_t b = 0; b < 40; ++b) {
    double loss = 0, mass = 0, sum = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const std::uint64_t key = hash_name("unit " + std::to_string(i));
      const double t = random_poisson(o.seed, b, key), d = s.z[i] - s.votes[i][0];
      loss += t * d * d;
      mass += t;
      sum += s.z[i] - (random_uniform(o.seed, Purpose::null_labels, b, key) < s.z[i] ? 1 : 0);
    }
    brier.push_back(loss / mass);
    drawn_gap.push_back(std::abs(sum) / static_cast<double>(s.size()));
  }
  MetricResult expected;
  expected.value = find_result(r.metrics, "brier").value;
  add_interval(find_metric("brier")->interval, brier, o.level, expected);
  constexpr double kRounding = 1e-12;  // sums of a few hundred doubles here, exact sums there
  EXPECT_NEAR(*find_result(r.metrics, "brier").low, *expected.low, kRounding);
  EXPECT_NEAR(*find_result(r.metrics, "brier").high, *expected.high, kRounding);
  const MetricResult& mean_gap = find_result(r.metrics, "mean_gap");
  EXPECT_NEAR(*mean_gap.null_mean, mean(drawn_gap), kRounding);
  EXPECT_NEAR(*mean_gap.p_value, p_value(std::abs(gap) / static_cast<double>(s.size()), drawn_gap),
              kRounding);
}

// The squared loss of two classes is twice that of one, in every replicate: outcomes that were redrawn for
// the null stay out of them.
TEST(StateReplicates, LossesOfVotesAreDrawnFromTheObservedVotes) {
  const Example& e = examples()[0];
  const Items items = to_items(simulate(e.data), e.form);
  const EvaluateOptions o = options_of(e);
  const Result r = finish(state_of(part_of(items, all_rows(items)), o), o);
  const MetricResult &lsq = find_result(r.metrics, "lsq"), &brier = find_result(r.metrics, "brier");
  constexpr double kRounding = 1e-12;
  EXPECT_NEAR(*lsq.value, 2 * *brier.value, kRounding);
  EXPECT_NEAR(*lsq.low, 2 * *brier.low, kRounding);
  EXPECT_NEAR(*lsq.high, 2 * *brier.high, kRounding);
}

// Beyond 4,096 distinct forecasts: nothing is lost on the way to the grid, and what is read off it is close.
TEST(StateReplicates, TheGridIsCloseToTheForecasts) {
  const Items items = to_items(simulate({.n = 4090, .sharpen = 1.3, .seed = 10}), VoteForm::labels);
  EvaluateOptions o = options_of(examples()[0]);
  o.bootstrap = 60;
  EvaluateState exact = state_of(part_of(items, all_rows(items)), o), grid = exact;
  ASSERT_TRUE(exact.replicates->column.exact);
  const Items more = to_items(simulate({.n = 3000, .sharpen = 1.3, .seed = 11}), VoteForm::labels);
  const EvaluateState other = state_of(part_of(more, all_rows(more)), o);
  merge(grid, other);
  ASSERT_FALSE(grid.replicates->column.exact);
  EXPECT_EQ(grid.replicates->column.p.size(), 0);
  std::uint64_t votes = 0;
  for (std::size_t i = 0; i < grid.replicates->column.size(); ++i)
    votes += grid.replicates->column.votes[60 * i];
  std::uint64_t expected = 0;
  for (const ColumnDraws& c : {exact.replicates->column, other.replicates->column})
    for (std::size_t i = 0; i < c.size(); ++i) expected += c.votes[60 * i];
  EXPECT_EQ(votes, expected);

  Items both = to_items(simulate({.n = 6000, .sharpen = 1.3, .seed = 12}), VoteForm::labels);
  const EvaluateState s = state_of(part_of(both, all_rows(both)), o);
  ASSERT_FALSE(s.replicates->column.exact);
  const Result on_grid = finish(s, o);
  const Result plain = evaluate(both, o, nullptr, names_of(all_rows(both)));  // the same draws, row by row
  for (const char* key : {"auroc", "auprc", "ece_mass", "ece_kde", "aurc", "calibration_slope"}) {
    const MetricResult &a = find_result(on_grid.metrics, key), &b = find_result(plain.metrics, key);
    ASSERT_TRUE(a.low && b.low) << key;
    const double apart = 0.05 * (*b.high - *b.low);
    EXPECT_NEAR(*a.low, *b.low, apart) << key;
    EXPECT_NEAR(*a.high, *b.high, apart) << key;
    EXPECT_LE(*a.low, *a.value) << key;
    EXPECT_GE(*a.high, *a.value) << key;
  }
  for (const char* key : {"ks", "kuiper", "smece", "mmce", "ece_sweep"})
    EXPECT_NEAR(*find_result(on_grid.metrics, key).p_value, *find_result(plain.metrics, key).p_value, 0.05)
        << key;
  EXPECT_EQ(find_result(on_grid.metrics, "ks").value, find_result(plain.metrics, "ks").value);
}

TEST(StateReplicates, TheLevelIsChosenWhenStatesAreMerged) {
  const Example& e = examples()[0];
  const Items items = to_items(simulate(e.data), e.form);
  EvaluateOptions o = options_of(e);
  const EvaluateState s = state_of(part_of(items, all_rows(items)), o);
  const auto width = [&](double level) {
    o.level = level;
    const Result r = finish(s, o);
    const MetricResult& m = find_result(r.metrics, "auroc");
    return *m.high - *m.low;
  };
  EXPECT_LT(width(0.8), width(0.95));
}

TEST(StateReplicates, WhatDiffersIsNamed) {
  const Example& e = examples()[1];
  const Items items = to_items(simulate(e.data), e.form);
  const EvaluateOptions o = options_of(e);
  const auto refused = [&](EvaluateOptions other, const Names& ids, const Items& of,
                           const std::string& name) {
    EvaluateState a = state_of(part_of(items, all_rows(items)), o), b = evaluate_state(of, other);
    if (other.bootstrap > 0) add_replicates(of, ids, other, b);
    try {
      merge(a, b);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  };
  const auto with = [&](auto change) {
    EvaluateOptions other = o;
    change(other);
    return other;
  };
  refused(with([](auto& x) { x.bootstrap = 41; }), {}, items, "bootstrap");
  refused(with([](auto& x) { x.bootstrap = 0; }), {}, items, "bootstrap");
  refused(with([](auto& x) { x.seed = 12; }), {}, items, "seed");
  refused(with([](auto& x) { x.null = NullKind::model; }), {}, items, "null");
  Items alone = items;
  alone.groups = Names();
  refused(with([](auto& x) { x.null = NullKind::model; }), names_of(all_rows(items)), alone,
          "units of resampling");
}

TEST(StateIds, AnItemThatIsInTwoStatesIsRefused) {
  const Items items = to_items(simulate({.n = 60, .seed = 8}), VoteForm::labels);
  const auto of = [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = first; i < last; ++i) rows.push_back(i);
    EvaluateState s = evaluate_state(items.gather(rows), {});
    check_ids(names_of(rows), s);
    return s;
  };
  EvaluateState a = of(0, 30);
  merge(a, deserialize_state(serialize(of(30, 60)), "b"));
  EXPECT_EQ(a, of(0, 60));
  EXPECT_THROW(merge(a, of(59, 60)), InputError);
  EvaluateState b = of(0, 10);
  EXPECT_THROW(merge(b, evaluate_state(items, {})), InputError);  // not checked
  const std::vector<std::int64_t> twice{4, 5, 4};
  EvaluateState c = evaluate_state(items.gather(twice), {});
  EXPECT_THROW(check_ids(names_of(twice), c), InputError);
}

TEST(StateReplicates, ManyGroupsShareBuckets) {
  VotesByUnit one, a, b;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint64_t unit = hash_name("group " + std::to_string(i));
    one.add(unit, ExactSum(2.0));
    (i % 3 == 0 ? a : b).add(unit, ExactSum(2.0));
  }
  EXPECT_FALSE(one.exact);
  EXPECT_TRUE(a.exact);
  VotesByUnit ab = a, ba = b;
  ab.merge(b);
  ba.merge(a);
  EXPECT_EQ(ab, one);
  EXPECT_EQ(ba, one);
}

TEST(StateReplicates, DamagedFilesAreRefused) {
  const Example& e = examples().back();
  const Items items = to_items(simulate(e.data), e.form);
  EvaluateState s = state_of(part_of(items, all_rows(items)), options_of(e));
  const auto refused = [](const EvaluateState& bad) {
    EXPECT_THROW((void)deserialize_state(serialize(bad), "a"), InputError);
  };
  EXPECT_EQ(deserialize_state(serialize(s), "a"), s);
  EvaluateState bad = s;
  bad.replicates->boot.pop_back();
  refused(bad);
  bad = s;
  bad.replicates->column.p[0] = 2;
  refused(bad);
  bad = s;
  bad.replicates->column.hits[0] = bad.replicates->column.votes[0] + 1;
  refused(bad);
  bad = s;
  bad.replicates->null[3].event.bins.pop_back();
  refused(bad);
  bad = s;
  bad.replicates->unit = 7;
  refused(bad);
  bad = s;
  bad.replicates->column.votes[0] = std::uint64_t{1} << 60;
  refused(bad);
  bad = s;
  bad.replicates->column.step = {1};
  refused(bad);

  const Items many = to_items(simulate({.n = 5000, .seed = 13}), VoteForm::labels);
  s = state_of(part_of(many, all_rows(many)), options_of(e));
  EXPECT_EQ(deserialize_state(serialize(s), "a"), s);
  for (auto change : {+[](ColumnDraws& c) { c.step.pop_back(); }, +[](ColumnDraws& c) { c.step[3] += 1; },
                      +[](ColumnDraws& c) { c.exact = true; }, +[](ColumnDraws& c) { c.kept = false; },
                      +[](ColumnDraws& c) { c.null_hits[0] = 5001; },
                      +[](ColumnDraws& c) { c.hits[0] = c.votes[0] + 1; }}) {
    bad = s;
    change(bad.replicates->column);
    refused(bad);
  }
}

}  // namespace
}  // namespace plumb::test
