// One scoring path: for every command, the same items and options give the same bits as evaluate.
#include <gtest/gtest.h>

#include <numeric>

#include "contract/cases.hpp"
#include "contract/same_bits.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/stability.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/registry.hpp"

namespace plumb::test {
namespace {

constexpr int kSlices = 3;

/// All kinds of bins and of leaving out, so that no command has its own default.
std::vector<std::pair<std::string, EvaluateOptions>> settings() {
  EvaluateOptions plain = all_metrics();
  plain.threads = 1;
  EvaluateOptions other = plain;
  other.binning = Binning::mass;
  other.bins = 7;
  other.clip = 1e-3;
  other.bandwidth = 0.02;
  other.leave_out = LeaveOut::item;
  other.seed = 5;
  return {{"", plain}, {", mass", other}};
}

/// The same votes under a less confident model.
Items softened(const Case& c) {
  Simulated s = c.data;
  for (double& z : s.z) z = 0.8 * z + 0.2 / s.classes;
  return to_items(s, c.form);
}

std::vector<std::int64_t> every(std::int64_t step, std::int64_t first, std::int64_t n) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = first; i < n; i += step) rows.push_back(i);
  return rows;
}

Names numbered(std::int64_t n, std::int64_t kinds) {
  std::vector<std::int64_t> number(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) number[static_cast<std::size_t>(i)] = i % kinds;
  return Names(Rows(array_of(number, {n}, "by.npy")));
}

std::vector<std::string> keys_of(const MetricResults& results) {
  std::vector<std::string> keys;
  for (const auto& [key, m] : results) keys.push_back(key);
  return keys;
}

bool same(const Table& a, const Table& b) { return a.columns == b.columns && a.rows == b.rows; }

TEST(OnePath, CompareIsEvaluate) {
  for (const Case& c : cases()) {
    for (auto [how, o] : settings()) {
      o.bootstrap = 5;
      const std::vector<NamedModel> models = {{"a", c.items()}, {"b", softened(c)}};
      const Comparison both = compare(models, o);
      for (std::size_t m = 0; m < models.size(); ++m) {
        const Result r = evaluate(models[m].items, o);
        ASSERT_EQ(both.metrics.size(), r.metrics.size()) << c.name;
        EXPECT_EQ(both.votes, r.votes);
        for (std::size_t k = 0; k < r.metrics.size(); ++k) {
          const auto& [key, one] = r.metrics[k];
          const MetricResult& compared = both.metrics[k].values[m];
          const std::string what = c.name + how + ", model " + models[m].name + ": " + key;
          ASSERT_EQ(both.metrics[k].key, key);
          expect_same_bits(compared.value, one.value, what);
          EXPECT_EQ(compared.why, one.why) << what;
          EXPECT_EQ(compared.items, one.items) << what;
          expect_same_bits(compared.high, one.high, what + ", high");
          expect_same_bits(compared.low, one.low, what + ", low");
        }
      }
    }
  }
}

TEST(OnePath, ASliceIsItsItemsEvaluated) {
  for (const Case& c : cases()) {
    for (auto [how, o] : settings()) {
      for (const int bootstrap : {0, 2}) {  // with replicates kernel keys take another way to their value
        Items items = c.items();
        items.by = {numbered(items.size(), kSlices)};
        o.bootstrap = bootstrap;
        const Result whole = evaluate(items, o);
        ASSERT_EQ(whole.per_group.size(), std::size_t{kSlices});
        for (int g = 0; g < kSlices; ++g) {
          Items part = items.gather(every(kSlices, g, items.size()));
          part.by = {};
          EvaluateOptions plain = o;
          plain.bootstrap = 0;
          const Result alone = evaluate(part, plain);
          const GroupResult& slice = whole.per_group[static_cast<std::size_t>(g)];
          const std::string what = c.name + how + ", slice " + slice.group;
          EXPECT_EQ(slice.items, alone.items) << what;
          EXPECT_EQ(slice.votes, alone.votes) << what;
          ASSERT_EQ(slice.metrics.size(), alone.metrics.size()) << what;
          for (std::size_t k = 0; k < slice.metrics.size(); ++k) {
            ASSERT_EQ(slice.metrics[k].first, alone.metrics[k].first);
            expect_same_bits(slice.metrics[k].second, alone.metrics[k].second.value,
                             what + ": " + slice.metrics[k].first);
          }
        }
      }
    }
  }
}

TEST(OnePath, ASliceSearchesItsOwnBandwidth) {
  Case c{"three classes", simulate({.n = 120, .classes = 3, .raters = 2, .sharpen = 1.5, .seed = 31}),
         VoteForm::counts};
  EvaluateOptions o;
  o.metrics = {"ece_kde", "ece_kde_l2", "ece_kde_classwise", "ece_kde_canonical", "smece"};
  Items items = c.items();
  items.by = {numbered(items.size(), 2)};
  const Result whole = evaluate(items, o);
  for (int g = 0; g < 2; ++g) {
    Items part = items.gather(every(2, g, items.size()));
    part.by = {};
    const Result alone = evaluate(part, o);
    for (const auto& [key, value] : whole.per_group.at(static_cast<std::size_t>(g)).metrics)
      expect_same_bits(value, find_result(alone.metrics, key).value, key + " of a slice");
  }
}

TEST(OnePath, TheConsensusIsTheMajorityLabelEvaluated) {
  int seen = 0;
  for (const Case& c : cases()) {
    for (auto [how, o] : settings()) {
      o.bootstrap = 5;
      o.ties = Ties::lowest;  // the others: tests/unit/evaluate/ties_test.cpp
      const Items items = c.items();
      const Result r = evaluate(items, o);
      if (r.consensus.empty()) continue;
      ++seen;
      o.metrics = keys_of(r.consensus);
      const Result alone = evaluate(consensus(items, {Ties::lowest}, 1).items, o);
      expect_same_bits(r.consensus, alone.metrics, c.name + how + ", consensus");
    }
  }
  EXPECT_GT(seen, 0);
}

/// One unit: every draw is the whole set, once.
Items as_one_unit(Items items) {
  items.groups = numbered(items.size(), 1);
  return items;
}

StabilityOptions over(const Result& r, const EvaluateOptions& o) {
  StabilityOptions s;
  s.estimators.clear();
  for (const auto& [key, m] : r.metrics)
    if (find_metric(key)->cost != Cost::quadratic) s.estimators.push_back(key);
  s.from = s.step = 0.5;
  s.repeats = 2;
  s.raters = {1};
  s.evaluate = o;
  return s;
}

void expect_curve(const StabilityCurve& curve, const std::optional<double>& value, const std::string& what) {
  EXPECT_EQ(curve.repeats, value ? 2 : 0) << what;
  if (!value) return;
  for (const double x : curve.mean) expect_same_bits(x, value, what);
  for (const double x : curve.sd) EXPECT_EQ(x, 0) << what;
  EXPECT_EQ(curve.tv_sum.value, 0) << what;
}

TEST(OnePath, StabilityOfTheWholeSetIsEvaluate) {
  for (const Case& c : cases()) {
    for (const auto& [how, o] : settings()) {
      const Items items = as_one_unit(c.items());
      const Result r = evaluate(items, o);
      const Stability s = stability(items, over(r, o));
      EXPECT_EQ(s.units, 1);
      EXPECT_EQ(s.items, r.items);
      ASSERT_GT(s.estimators.size(), 50u) << c.name;
      for (const EstimatorStability& e : s.estimators) {
        const std::string what = c.name + how + ", stability of " + e.key;
        expect_curve(e.multi, find_result(r.metrics, e.key).value, what);
        EXPECT_EQ(e.has_single, !r.consensus.empty()) << what;
        if (const MetricResult* m = find_named(r.consensus, e.key)) expect_curve(e.single, m->value, what);
      }
    }
  }
}

TEST(OnePath, StabilityOfOneRaterIsThatRaterEvaluated) {
  const Case c = cases().at(4);
  ASSERT_EQ(c.form, VoteForm::ratings);
  const EvaluateOptions o = settings()[0].second;
  const Items items = as_one_unit(c.items());
  for (const int rater : {0, 2}) {
    std::vector<std::int64_t> votes;
    for (const auto& v : c.data.votes)
      votes.push_back(rater < std::ssize(v) ? v[static_cast<std::size_t>(rater)] : -1);
    Items alone = items;
    alone.votes = Votes::from_ratings(Rows(array_of(votes, {items.size(), 1}, "rater.npy")), c.data.classes);
    const Result r = evaluate(alone, o);
    StabilityOptions s = over(r, o);
    s.single = SingleLabel::rater;
    s.rater = rater;
    for (const EstimatorStability& e : stability(items, s).estimators)
      expect_curve(e.single, find_result(r.metrics, e.key).value,
                   "rater " + std::to_string(rater) + ": " + e.key);
  }
}

TEST(OnePath, StabilityOfRandomVotesIsThoseVotesEvaluated) {
  const Case c = cases().at(4);
  const EvaluateOptions o = settings()[0].second;
  const Items items = as_one_unit(c.items());
  std::vector<Result> drawn;
  for (const std::uint32_t repeat : {0u, 1u})
    drawn.push_back(evaluate(draw_votes(items, 1, o.seed, repeat, 1), o));
  StabilityOptions s = over(drawn[0], o);
  s.single = SingleLabel::random;
  for (const EstimatorStability& e : stability(items, s).estimators) {
    const auto a = find_result(drawn[0].metrics, e.key).value, b = find_result(drawn[1].metrics, e.key).value;
    EXPECT_EQ(e.single.repeats, a && b ? 2 : 0) << e.key;
    if (!a || !b) continue;
    for (const double x : e.single.mean) expect_same_bits(x, (*a + *b) / 2, "random votes: " + e.key);
    ASSERT_EQ(e.precision.back().raters, 1) << e.key;
    EXPECT_NEAR(e.precision.back().se, std::abs(*a - *b) / std::sqrt(2.0), 1e-15) << e.key;
  }
}

// --save-state takes no pass of its own: what evaluate hands out is what evaluate_state sums.
TEST(OnePath, TheStateOfARunIsThatOfItsItems) {
  for (const Case& c : cases()) {
    const Items items = c.items();
    for (const std::vector<std::string>& metrics : {std::vector<std::string>{"all"}, {"ece"}, {"ks"}}) {
      for (const bool consensus : {true, false}) {
        EvaluateOptions o = all_metrics();
        o.metrics = metrics;
        o.consensus = consensus;
        o.bootstrap = consensus ? 2 : 0;
        EvaluateState state;
        const Result with = evaluate(items, o, &state);
        EXPECT_EQ(state, evaluate_state(items, o)) << c.name;
        const Result without = evaluate(items, o);
        expect_same_bits(with.metrics, without.metrics, c.name + ", with a state");
        expect_same_bits(with.consensus, without.consensus, c.name + ", consensus with a state");
        EXPECT_EQ(with.per_class, without.per_class) << c.name;
        ASSERT_EQ(with.tables.size(), without.tables.size()) << c.name;
        for (std::size_t t = 0; t < with.tables.size(); ++t) {
          EXPECT_EQ(with.tables[t].first, without.tables[t].first);
          EXPECT_TRUE(same(with.tables[t].second, without.tables[t].second))
              << c.name << with.tables[t].first;
        }
      }
    }
  }
}

TEST(OnePath, AMergedStateIsEvaluate) {
  for (const Case& c : cases()) {
    const EvaluateOptions o = all_metrics();
    const Items items = c.items();
    const Result one = evaluate(items, o);
    std::optional<EvaluateState> sum;
    for (int shard = 0; shard < 2; ++shard) {
      const EvaluateState s = evaluate_state(items.gather(every(2, shard, items.size())), o);
      if (sum) {
        merge(*sum, s);
      } else {
        sum = s;
      }
    }
    EXPECT_EQ(*sum, evaluate_state(items, o)) << c.name;
    const Result merged = finish(*sum, o);
    EXPECT_EQ(merged.items, one.items);
    EXPECT_EQ(merged.votes, one.votes);
    EXPECT_EQ(merged.notes, one.notes) << c.name;
    const auto compare_part = [&](const MetricResults& a, const MetricResults& b, const std::string& part) {
      ASSERT_EQ(keys_of(a), keys_of(b)) << c.name << part;
      for (std::size_t k = 0; k < a.size(); ++k) {
        const MetricRow& row = *find_metric(a[k].first);
        if (in_state(row, c) && (part.empty() || row.room == Room::streaming)) {
          expect_same_bits(a[k].second, b[k].second, c.name + part + ", merged " + a[k].first);
        } else {
          EXPECT_FALSE(a[k].second.value) << c.name << part << a[k].first;
          EXPECT_FALSE(a[k].second.why.empty()) << c.name << part << a[k].first;
        }
      }
    };
    compare_part(merged.metrics, one.metrics, "");
    compare_part(merged.consensus, one.consensus, ", consensus");
    for (const auto& [key, values] : merged.per_class) {
      const auto* direct = find_named(one.per_class, key);
      ASSERT_NE(direct, nullptr) << c.name << " " << key;
      EXPECT_EQ(values, *direct) << c.name << " " << key;
    }
    for (const auto& [name, table] : merged.tables) {
      const Table* direct = find_named(one.tables, name);
      ASSERT_NE(direct, nullptr) << c.name << " " << name;
      EXPECT_TRUE(same(table, *direct)) << c.name << " " << name;
    }
  }
}

}  // namespace
}  // namespace plumb::test
