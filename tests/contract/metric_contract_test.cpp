// Contracts that every row of the metric registry must keep, run over the registry itself.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/numeric/simd.hpp"
#include "plumb/registry.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

// Rounding of a few operations per key; every sum itself is exact.
constexpr double kTwiceTolerance = 1e-12;

struct Case {
  std::string name;
  Simulated data;
  VoteForm form;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  out.push_back({"binary labels", simulate({.n = 700, .sharpen = 1.6, .seed = 3}), VoteForm::labels});
  out.push_back(
      {"binary labels with ties", simulate({.n = 700, .rounding = 20, .seed = 4}), VoteForm::labels});
  out.push_back({"binary counts", simulate({.n = 400, .raters = 5, .vary = true, .sharpen = 1.5, .seed = 5}),
                 VoteForm::counts});
  out.push_back(
      {"four classes", simulate({.n = 600, .classes = 4, .sharpen = 1.7, .seed = 6}), VoteForm::labels});
  out.push_back({"four classes, ratings",
                 simulate({.n = 500,
                           .classes = 4,
                           .raters = 4,
                           .vary = true,
                           .sharpen = 1.7,
                           .heterogeneity = 4,
                           .seed = 7}),
                 VoteForm::ratings});
  Simulated w = simulate({.n = 500, .classes = 3, .raters = 3, .vary = true, .sharpen = 1.4, .seed = 8});
  RandomStream rng(9, Purpose::kDemo);
  for (std::size_t i = 0; i < w.size(); ++i) w.weight.push_back(i % 11 == 0 ? 0.0 : 0.1 + rng.uniform());
  out.push_back({"three classes, weights", w, VoteForm::counts});
  return out;
}

EvaluateOptions all_metrics() {
  EvaluateOptions o;
  o.metrics = {"all"};
  o.bandwidth = 0.05;  // the search for it has tests of its own, and takes its time
  return o;
}

std::uint64_t bits(const std::optional<double>& x) {
  return x ? std::bit_cast<std::uint64_t>(*x) : ~std::uint64_t{0};
}

void expect_same_bits(const MetricResults& a, const MetricResults& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_EQ(bits(a[i].second.value), bits(b[i].second.value))
        << what << ": " << a[i].first << " " << a[i].second.value.value_or(NAN) << " "
        << b[i].second.value.value_or(NAN);
    EXPECT_EQ(bits(a[i].second.low), bits(b[i].second.low)) << what << ": low of " << a[i].first;
    EXPECT_EQ(bits(a[i].second.high), bits(b[i].second.high)) << what << ": high of " << a[i].first;
    EXPECT_EQ(bits(a[i].second.p_value), bits(b[i].second.p_value)) << what << ": p_value of " << a[i].first;
    EXPECT_EQ(bits(a[i].second.null_mean), bits(b[i].second.null_mean))
        << what << ": null_mean of " << a[i].first;
  }
}

const MetricResult& result_of(const MetricResults& all, std::string_view key) {
  for (const auto& [k, m] : all)
    if (k == key) return m;
  throw std::logic_error("no such key");
}

TEST(MetricContract, ValuesLieInTheirRange) {
  for (const Case& c : cases()) {
    const Result r = evaluate(to_items(c.data, c.form), all_metrics());
    for (const auto& [key, m] : r.metrics) {
      if (!m.value) {
        EXPECT_FALSE(m.why.empty()) << c.name << " " << key;
        continue;
      }
      const MetricRow* row = find_metric(key);
      EXPECT_GE(*m.value, row->low - 1e-15) << c.name << " " << key;
      EXPECT_LE(*m.value, row->high + 1e-15) << c.name << " " << key;
      EXPECT_TRUE(std::isfinite(*m.value)) << c.name << " " << key;
    }
  }
}

TEST(MetricContract, SameBitsForAnyThreads) {
  for (const Case& c : cases()) {
    EvaluateOptions o = all_metrics();
    o.bootstrap = 20;
    const Items items = to_items(c.data, c.form);
    o.threads = 1;
    const Result one = evaluate(items, o);
    for (const int threads : {2, 16}) {
      o.threads = threads;
      const Result many = evaluate(items, o);
      expect_same_bits(one.metrics, many.metrics, c.name + ", threads " + std::to_string(threads));
      expect_same_bits(one.consensus, many.consensus,
                       c.name + ", consensus, threads " + std::to_string(threads));
    }
  }
}

TEST(MetricContract, SameBitsForAnyRowOrder) {
  for (const Case& c : cases()) {
    const Result straight = evaluate(to_items(c.data, c.form), all_metrics());
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Simulated mixed = take(c.data, shuffled(c.data.size(), seed));
      const Result other = evaluate(to_items(mixed, c.form), all_metrics());
      expect_same_bits(straight.metrics, other.metrics, c.name + ", shuffled");
      expect_same_bits(straight.consensus, other.consensus, c.name + ", consensus shuffled");
    }
  }
}

TEST(MetricContract, SameBitsOnEverySimdTarget) {
  for (const Case& c : cases()) {
    EvaluateOptions o = all_metrics();
    o.bootstrap = 10;
    const Items items = to_items(c.data, c.form);
    const Result best = evaluate(items, o);
    for (const std::string& target : simd_targets()) {
      force_simd_target(target);
      const Result forced = evaluate(items, o);
      force_simd_target("");
      expect_same_bits(best.metrics, forced.metrics, c.name + ", " + target);
    }
  }
}

TEST(MetricContract, ShardsMergeToTheBitsOfOnePass) {
  for (const Case& c : cases()) {
    const EvaluateOptions o = all_metrics();
    const Result one = evaluate(to_items(c.data, c.form), o);
    // Seven shards of random sizes, from shuffled rows, through files.
    const auto rows = shuffled(c.data.size(), 5);
    std::optional<EvaluateState> sum;
    std::size_t begin = 0;
    RandomStream rng(17, Purpose::kDemo);
    for (int shard = 0; shard < 7; ++shard) {
      const std::size_t left = rows.size() - begin;
      const std::size_t take_n = shard == 6 ? left : rng.below(left / 2 + 1);
      const std::vector<std::size_t> part(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                          rows.begin() + static_cast<std::ptrdiff_t>(begin + take_n));
      begin += take_n;
      if (part.empty()) continue;
      const EvaluateState s = evaluate_state(to_items(take(c.data, part), c.form), o);
      const EvaluateState back = deserialize_state(serialize(s), "s.plumb");
      EXPECT_EQ(s, back);
      if (!sum) {
        sum = back;
      } else {
        merge(*sum, back);
      }
    }
    const Result merged = finish(*sum, o);
    EXPECT_EQ(merged.votes, one.votes);
    EXPECT_EQ(merged.items, one.items);
    for (const auto& [key, m] : one.metrics) {
      const MetricResult& other = result_of(merged.metrics, key);
      if (find_metric(key)->room == Room::streaming) {
        EXPECT_EQ(bits(m.value), bits(other.value)) << c.name << " " << key;
      } else {
        EXPECT_FALSE(other.value) << key;
        EXPECT_FALSE(other.why.empty()) << key;
      }
    }
    for (const auto& [key, m] : one.consensus) {
      if (find_metric(key)->room == Room::streaming) {
        EXPECT_EQ(bits(m.value), bits(result_of(merged.consensus, key).value))
            << c.name << " consensus " << key;
      }
    }
  }
}

TEST(MetricContract, WeightTwoIsTheRowTwice) {
  for (const Case& c : cases()) {
    Simulated heavy = c.data;
    if (heavy.weight.empty()) heavy.weight.assign(heavy.size(), 1.0);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < heavy.size(); ++i) rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
    const Simulated twice = take(heavy, rows);
    for (std::size_t i = 0; i < heavy.size(); ++i)
      if (i % 3 == 0) heavy.weight[i] *= 2;
    const Result a = evaluate(to_items(heavy, c.form), all_metrics());
    const Result b = evaluate(to_items(twice, c.form), all_metrics());
    for (const auto& [key, m] : a.metrics) {
      if (find_metric(key)->by_item || !m.value) continue;
      EXPECT_NEAR(*m.value, result_of(b.metrics, key).value.value_or(NAN), kTwiceTolerance)
          << c.name << " " << key;
    }
  }
}

TEST(MetricContract, UnitWeightsChangeNothing) {
  for (const Case& c : cases()) {
    if (!c.data.weight.empty()) continue;
    Simulated w = c.data;
    w.weight.assign(w.size(), 1.0);
    const Result a = evaluate(to_items(c.data, c.form), all_metrics());
    const Result b = evaluate(to_items(w, c.form), all_metrics());
    for (const auto& [key, m] : a.metrics) {
      if (!m.value) continue;
      EXPECT_NEAR(*m.value, result_of(b.metrics, key).value.value_or(NAN), kTwiceTolerance)
          << c.name << " " << key;
    }
  }
}

TEST(MetricContract, VotesExpandedIntoRowsAreTheSameVotes) {
  for (const Case& c : cases()) {
    const Result a = evaluate(to_items(c.data, c.form), all_metrics());
    const Result b = evaluate(to_items(expand(c.data), VoteForm::labels), all_metrics());
    for (const auto& [key, m] : a.metrics) {
      // Of the keys per vote only the one debiased by item sees who gave the votes.
      if (find_metric(key)->per == Per::item || key == "ece_debiased" || !m.value) continue;
      if (c.data.weight.empty()) {
        EXPECT_NEAR(*m.value, result_of(b.metrics, key).value.value_or(NAN), 1e-15) << c.name << " " << key;
      } else {
        EXPECT_NEAR(*m.value, result_of(b.metrics, key).value.value_or(NAN), kTwiceTolerance)
            << c.name << " " << key;
      }
    }
    if (c.data.weight.empty()) {
      EXPECT_EQ(bits(result_of(a.metrics, "ece").value), bits(result_of(b.metrics, "ece").value)) << c.name;
    }
  }
}

TEST(MetricContract, OneItemAndConstantInput) {
  for (const int classes : {2, 4}) {
    for (const std::int64_t n : {1, 50}) {
      Simulated s = simulate({.n = n, .classes = classes, .seed = 11});
      const std::size_t width = classes == 2 ? 1 : static_cast<std::size_t>(classes);
      for (std::size_t i = 0; i < s.z.size(); ++i) s.z[i] = s.z[i % width];
      const Result r = evaluate(to_items(s, VoteForm::labels), all_metrics());
      for (const auto& [key, m] : r.metrics) {
        if (m.value) {
          EXPECT_TRUE(std::isfinite(*m.value)) << key;
        } else {
          EXPECT_FALSE(m.why.empty()) << key << " n=" << n;
        }
      }
      EXPECT_TRUE(result_of(r.metrics, "ece").value);
    }
  }
}

TEST(MetricContract, BadInputThrows) {
  Simulated s = simulate({.n = 20, .seed = 12});
  s.z[7] = NAN;
  EXPECT_THROW((void)evaluate(to_items(s, VoteForm::labels), all_metrics()), InputError);
  s = simulate({.n = 20, .seed = 12});
  s.votes.assign(20, {});
  EXPECT_THROW((void)evaluate(to_items(s, VoteForm::counts), all_metrics()), InputError);
  s = simulate({.n = 20, .seed = 12});
  s.weight.assign(20, 0.0);
  EXPECT_THROW((void)evaluate(to_items(s, VoteForm::labels), all_metrics()), InputError);
  s.weight.assign(19, 1.0);
  EXPECT_THROW((void)evaluate(to_items(s, VoteForm::labels), all_metrics()), std::exception);
  EvaluateOptions o;
  o.metrics = {"eec"};
  try {
    (void)evaluate(to_items(simulate({.n = 20}), VoteForm::labels), o);
    FAIL() << "an unknown key must be refused";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("\"ece\""), std::string::npos) << e.what();
  }
}

TEST(MetricContract, EveryKeyHasADocsPage) {
  std::string text;
  for (const auto& f : std::filesystem::directory_iterator(std::string(PLUMB_SOURCE_DIR) + "/docs/metrics")) {
    std::ifstream in(f.path());
    std::stringstream s;
    s << in.rdbuf();
    text += s.str();
  }
  for (const MetricRow& row : metrics())
    EXPECT_NE(text.find("`" + std::string(row.key) + "`"), std::string::npos)
        << row.key << " is not documented";
}

}  // namespace
}  // namespace plumb::test
