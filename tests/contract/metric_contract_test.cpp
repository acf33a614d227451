// Contracts that every row of the metric registry must keep, run over the registry itself.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "contract/cases.hpp"
#include "contract/same_bits.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/numeric/simd.hpp"
#include "plumb/registry.hpp"

namespace plumb::test {
namespace {

// Rounding of a few operations per key; every sum itself is exact.
constexpr double kTwiceTolerance = 1e-12;

TEST(MetricContract, ValuesLieInTheirRange) {
  for (const Case& c : cases()) {
    const Result r = evaluate(c.items(), all_metrics());
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

// A row that nothing computes would be null in every case.
constexpr const char* kIntervalNames[] = {"percentile", "basic",     "inversion", "wilson", "logit",
                                          "normal",     "inversion", "exact",     ""};

TEST(MetricContract, EveryKeyHasAValue) {
  std::set<std::string> seen;
  for (const Case& c : cases())
    for (const int bootstrap : {0, 2}) {  // one key is found by resampling
      EvaluateOptions o = all_metrics();
      o.bootstrap = bootstrap;
      for (const auto& [key, m] : evaluate(c.items(), o).metrics)
        if (m.value) seen.insert(key);
    }
  for (const MetricRow& row : metrics())
    EXPECT_TRUE(seen.contains(std::string(row.key))) << row.key << " has no value in any case";
}

TEST(MetricContract, IntervalsNullsAndClassesAreThoseOfTheRegistry) {
  std::set<std::string> bounded, tested, by_class;
  for (const Case& c : cases()) {
    EvaluateOptions o = all_metrics();
    o.bootstrap = 4;
    const Result r = evaluate(c.items(), o);
    for (const auto& [key, m] : r.metrics) {
      const MetricRow& row = *find_metric(key);
      if (m.low) {
        bounded.insert(key);
        EXPECT_NE(row.interval, Interval::none) << key;
        const bool no_closed_form = row.interval == Interval::exact && m.interval == "percentile";
        if (!no_closed_form) {
          EXPECT_EQ(m.interval, kIntervalNames[static_cast<std::size_t>(row.interval)]) << key;
        }
      }
      if (m.p_value) tested.insert(key);
      EXPECT_EQ(m.p_value.has_value(), row.null && m.value) << c.name << " " << key;
      EXPECT_EQ(m.null_mean.has_value(), m.p_value.has_value()) << c.name << " " << key;
    }
    for (const auto& [key, values] : r.per_class) {
      by_class.insert(key);
      EXPECT_EQ(std::ssize(values), r.classes) << c.name << " " << key;
    }
  }
  for (const MetricRow& row : metrics()) {
    const std::string key(row.key);
    // A quadratic key is not resampled; a test statistic has no interval.
    EXPECT_EQ(bounded.contains(key), row.cost != Cost::quadratic && row.interval != Interval::none) << key;
    EXPECT_EQ(tested.contains(key), row.null) << key;
    EXPECT_EQ(by_class.contains(key), row.per_class) << key;
  }
}

// Every key declares what it needs: it has a value when requested alone.
TEST(MetricContract, AKeyAloneIsTheKeyAmongAll) {
  for (const Case& c : cases()) {
    EvaluateOptions o = all_metrics();
    o.bootstrap = 3;
    o.threads = 1;
    const Items items = c.items();
    const Result all = evaluate(items, o);
    for (const auto& [key, m] : all.metrics) {
      o.metrics = {key};
      const Result alone = evaluate(items, o);
      ASSERT_EQ(alone.metrics.size(), 1u) << c.name << " " << key;
      expect_same_bits(m, alone.metrics.front().second, c.name + ", " + key + " alone");
      for (const auto& [name, value] : alone.settings) {
        if (!name.starts_with("bandwidth")) continue;
        EXPECT_TRUE(*find_named(all.settings, name) == value) << c.name << ", " << key << ": " << name;
      }
      const MetricResult* consensus = find_named(all.consensus, key);
      ASSERT_EQ(consensus != nullptr, alone.consensus.size() == 1) << c.name << " " << key;
      if (consensus != nullptr)
        expect_same_bits(*consensus, alone.consensus.front().second,
                         c.name + ", consensus " + key + " alone");
      for (const auto& [name, values] : alone.per_class) {
        EXPECT_EQ(name, key) << c.name;
        const auto* among = find_named(all.per_class, name);
        ASSERT_NE(among, nullptr) << c.name << " " << name;
        ASSERT_EQ(among->size(), values.size());
        for (std::size_t k = 0; k < values.size(); ++k)
          expect_same_bits((*among)[k], values[k], c.name + ", " + name + " of class " + std::to_string(k));
      }
    }
  }
}

TEST(MetricContract, SameBitsForAnyThreads) {
  for (const Case& c : cases()) {
    EvaluateOptions o = all_metrics();
    o.bootstrap = 20;
    const Items items = c.items();
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
    const Result straight = evaluate(c.items(), all_metrics());
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
    const Items items = c.items();
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
    const Result one = evaluate(c.items(), o);
    // Seven shards of random sizes, from shuffled rows, through files.
    const auto rows = shuffled(c.data.size(), 5);
    std::optional<EvaluateState> sum;
    std::size_t begin = 0;
    RandomStream rng(17, Purpose::demo);
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
      const MetricResult& other = find_result(merged.metrics, key);
      if (in_state(*find_metric(key), c)) {
        EXPECT_EQ(bits(m.value), bits(other.value)) << c.name << " " << key;
      } else {
        EXPECT_FALSE(other.value) << key;
        EXPECT_FALSE(other.why.empty()) << key;
      }
    }
    for (const auto& [key, m] : one.consensus) {
      if (find_metric(key)->room == Room::streaming) {
        EXPECT_EQ(bits(m.value), bits(find_result(merged.consensus, key).value))
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
      // Krippendorff's correction counts votes, not weights, so that a common factor cancels.
      if (find_metric(key)->by_item || key == "krippendorff_alpha" || !m.value) continue;
      EXPECT_NEAR(*m.value, find_result(b.metrics, key).value.value_or(NAN), kTwiceTolerance)
          << c.name << " " << key;
    }
  }
}

TEST(MetricContract, OnlyRatiosOfWeightsCount) {
  constexpr double kRounding = 1e-9;  // weights of w / 3 are rounded, and differences of sums magnify that
  for (const Case& c : cases()) {
    Simulated ones = c.data;
    if (ones.weight.empty()) ones.weight.assign(ones.size(), 1.0);
    const Result a = evaluate(to_items(ones, c.form), all_metrics());
    for (const double factor : {3.0, 1.0 / 3, 1e-8, 1e11}) {
      Simulated scaled = ones;
      for (double& w : scaled.weight) w *= factor;
      const Result b = evaluate(to_items(scaled, c.form), all_metrics());
      for (const auto& [key, m] : a.metrics) {
        const auto other = find_result(b.metrics, key).value;
        ASSERT_EQ(m.value.has_value(), other.has_value()) << c.name << " " << key << " times " << factor;
        if (m.value) {
          EXPECT_NEAR(*m.value, *other, kRounding * std::max(1.0, std::fabs(*m.value)))
              << c.name << " " << key << " times " << factor;
        }
      }
    }
  }
}

TEST(MetricContract, ARankingCountsVotesByACommonFactor) {
  for (const Case& c : cases()) {
    if (!c.data.weight.empty()) continue;
    const Result a = evaluate(c.items(), all_metrics());
    for (const double factor : {1.0, 3.0, 1.0 / 3, 0.1}) {
      Simulated scaled = c.data;
      scaled.weight.assign(scaled.size(), factor);
      const Result b = evaluate(to_items(scaled, c.form), all_metrics());
      for (const char* key : {"auroc", "auprc"})
        EXPECT_EQ(find_result(a.metrics, key).value, find_result(b.metrics, key).value)
            << c.name << " " << key << " times " << factor;
    }
  }
}

TEST(MetricContract, UnitWeightsChangeNothing) {
  for (const Case& c : cases()) {
    if (!c.data.weight.empty()) continue;
    Simulated w = c.data;
    w.weight.assign(w.size(), 1.0);
    const Result a = evaluate(c.items(), all_metrics());
    const Result b = evaluate(to_items(w, c.form), all_metrics());
    for (const auto& [key, m] : a.metrics) {
      if (!m.value) continue;
      EXPECT_NEAR(*m.value, find_result(b.metrics, key).value.value_or(NAN), kTwiceTolerance)
          << c.name << " " << key;
    }
  }
}

TEST(MetricContract, VotesExpandedIntoRowsAreTheSameVotes) {
  for (const Case& c : cases()) {
    const Result a = evaluate(c.items(), all_metrics());
    const Result b = evaluate(to_items(expand(c.data), VoteForm::labels), all_metrics());
    for (const auto& [key, m] : a.metrics) {
      // Of the keys per vote only those debiased by item see who gave the votes.
      if (find_metric(key)->per == Per::item || key == "ece_l2_debiased" || key == "skce" || !m.value)
        continue;
      if (c.data.weight.empty()) {
        EXPECT_NEAR(*m.value, find_result(b.metrics, key).value.value_or(NAN), 1e-15) << c.name << " " << key;
      } else {
        EXPECT_NEAR(*m.value, find_result(b.metrics, key).value.value_or(NAN), kTwiceTolerance)
            << c.name << " " << key;
      }
    }
    if (c.data.weight.empty()) {
      EXPECT_EQ(bits(find_result(a.metrics, "ece").value), bits(find_result(b.metrics, "ece").value))
          << c.name;
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
      EXPECT_TRUE(find_result(r.metrics, "ece").value);
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
