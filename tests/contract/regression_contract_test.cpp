// Contracts that every row of the regression registry must keep, run over the registry itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <stop_token>

#include "contract/same_bits.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/registry.hpp"
#include "plumb/regression/evaluate.hpp"
#include "plumb/regression/state.hpp"
#include "regression/null.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

// Rounding of a few operations per key; every sum itself is exact.
constexpr double kTwiceTolerance = 1e-12;

struct Case {
  std::string name;
  SimulatedRegression data;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  out.push_back({"one output", simulate({.n = 400, .factor = 1.6, .seed = 2})});
  out.push_back(
      {"two outputs in parts", simulate({.n = 300, .outputs = 2, .factor = 1.3, .parts = true, .seed = 3})});
  out.push_back(
      {"weights and parts",
       simulate({.n = 300, .outputs = 2, .laplace = true, .parts = true, .weights = true, .seed = 4})});
  SimulatedRegression ties = simulate({.n = 300, .factor = 0.7, .seed = 5});
  for (double& v : ties.variance) v = std::ceil(4 * v) / 4;
  out.push_back({"ties of the variance", ties});
  return out;
}

std::vector<RegressionOptions> settings() {
  RegressionOptions plain;
  plain.threads = 1;
  RegressionOptions other = plain;
  other.bins = 6;
  other.range = RegressionRange{0, 0.5};
  other.clip = 0.05;
  other.seed = 4;
  return {plain, other};
}

const MetricRow& row_of(const std::string& key) { return *find_regression_metric(key); }

std::vector<std::int64_t> every(std::int64_t step, std::int64_t first, std::int64_t n) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = first; i < n; i += step) rows.push_back(i);
  return rows;
}

TEST(RegressionContract, EveryKeyHasAValueInItsRange) {
  std::set<std::string> seen;
  for (const Case& c : cases()) {
    for (const auto& [key, m] : evaluate_regression(c.data.items(), {}).metrics) {
      ASSERT_TRUE(m.value) << c.name << " " << key << ": " << m.why;
      EXPECT_TRUE(std::isfinite(*m.value)) << c.name << " " << key;
      EXPECT_GE(*m.value, row_of(key).low - 1e-15) << c.name << " " << key;
      EXPECT_LE(*m.value, row_of(key).high + 1e-15) << c.name << " " << key;
      seen.insert(key);
    }
  }
  for (const MetricRow& row : regression_metrics())
    EXPECT_TRUE(seen.contains(std::string(row.key))) << row.key << " has no value in any case";
}

TEST(RegressionContract, EveryKeyHasTheIntervalOfTheRegistry) {
  for (const Case& c : cases()) {
    RegressionOptions o;
    o.bootstrap = 5;
    for (const auto& [key, m] : evaluate_regression(c.data.items(), o).metrics) {
      const Interval kind = row_of(key).interval;
      EXPECT_EQ(m.low && m.high, kind != Interval::none) << c.name << " " << key;
      EXPECT_EQ(m.interval.empty(), kind == Interval::none) << key;
      const bool one = c.data.items().outputs() == 1 && c.data.items().groups.empty();
      EXPECT_EQ(m.p_value.has_value(), m.value && one && find_regression_metric(key)->null)
          << c.name << " " << key;
      EXPECT_FALSE(row_of(key).per_class) << key;
    }
  }
}

// Every key declares what it needs: it has a value when requested alone.
TEST(RegressionContract, AKeyAloneIsTheKeyAmongAll) {
  for (const Case& c : cases()) {
    for (RegressionOptions o : settings()) {
      o.bootstrap = 4;
      const RegressionItems items = c.data.items();
      const Result all = evaluate_regression(items, o);
      for (const auto& [key, m] : all.metrics) {
        o.metrics = {key};
        const Result alone = evaluate_regression(items, o);
        ASSERT_EQ(alone.metrics.size(), 1u);
        expect_same_bits(m, alone.metrics.front().second, c.name + ", " + key + " alone");
      }
    }
  }
}

TEST(RegressionContract, SameBitsForAnyThreadsAndRowOrder) {
  for (const Case& c : cases()) {
    for (RegressionOptions o : settings()) {
      const Result one = evaluate_regression(c.data.items(), o);
      const auto rows = shuffled(static_cast<std::size_t>(c.data.n), 6);
      expect_same_bits(one.metrics, evaluate_regression(c.data.take(rows).items(), o).metrics,
                       c.name + ", shuffled");
      o.bootstrap = 6;
      const Result drawn = evaluate_regression(c.data.items(), o);
      o.threads = 3;
      expect_same_bits(drawn.metrics, evaluate_regression(c.data.items(), o).metrics, c.name + ", threads");
    }
  }
}

TEST(RegressionContract, WeightTwoIsTheRowTwice) {
  for (const Case& c : cases()) {
    SimulatedRegression heavy = c.data;
    if (heavy.weight.empty()) heavy.weight.assign(static_cast<std::size_t>(heavy.n), 1.0);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < heavy.weight.size(); ++i) rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
    const SimulatedRegression twice = heavy.take(rows);
    for (std::size_t i = 0; i < heavy.weight.size(); i += 3) heavy.weight[i] *= 2;
    const Result a = evaluate_regression(heavy.items(), {}), b = evaluate_regression(twice.items(), {});
    for (const auto& [key, m] : a.metrics)
      EXPECT_NEAR(*m.value, find_result(b.metrics, key).value.value_or(NAN),
                  kTwiceTolerance * (1 + std::abs(*m.value)))
          << c.name << " " << key;
  }
}

TEST(RegressionContract, ASliceIsItsItemsEvaluated) {
  for (const Case& c : cases()) {
    for (RegressionOptions o : settings()) {
      RegressionItems items = c.data.items();
      std::vector<std::int64_t> number;
      for (std::int64_t i = 0; i < items.size(); ++i) number.push_back(i % 3);
      items.by = {Names(Rows(array_of(number, {items.size()}, "by.npy")))};
      o.bootstrap = 2;
      const Result whole = evaluate_regression(items, o);
      ASSERT_EQ(whole.per_group.size(), 3u);
      o.bootstrap = 0;
      for (std::int64_t g = 0; g < 3; ++g) {
        RegressionItems part = items.gather(every(3, g, items.size()));
        part.by = {};
        const Result alone = evaluate_regression(part, o);
        const GroupResult& slice = whole.per_group[static_cast<std::size_t>(g)];
        EXPECT_EQ(slice.items, alone.items);
        ASSERT_EQ(slice.metrics.size(), alone.metrics.size());
        for (std::size_t k = 0; k < slice.metrics.size(); ++k) {
          EXPECT_EQ(slice.metrics[k].first, alone.metrics[k].first);
          expect_same_bits(slice.metrics[k].second, alone.metrics[k].second.value,
                           c.name + ", slice: " + slice.metrics[k].first);
        }
      }
    }
  }
}

TEST(RegressionContract, AMergedStateIsEvaluate) {
  for (const Case& c : cases()) {
    for (const RegressionOptions& o : settings()) {
      const RegressionItems items = c.data.items();
      const Result one = evaluate_regression(items, o);
      RegressionState sum = regression_state(items.gather(every(2, 0, items.size())), o);
      const RegressionState other = regression_state(items.gather(every(2, 1, items.size())), o);
      merge(sum, deserialize_regression_state(serialize(other), "s.plumb"));
      EXPECT_EQ(sum, regression_state(items, o)) << c.name;
      const Result merged = finish(sum, o);
      EXPECT_EQ(merged.items, one.items);
      ASSERT_EQ(merged.metrics.size(), one.metrics.size()) << c.name;
      for (std::size_t k = 0; k < one.metrics.size(); ++k) {
        const auto& [key, m] = merged.metrics[k];
        ASSERT_EQ(key, one.metrics[k].first);
        if (row_of(key).room == Room::streaming && (o.range || !key.starts_with("uce"))) {
          expect_same_bits(m, one.metrics[k].second, c.name + ", merged " + key);
        } else {
          EXPECT_FALSE(m.value) << key;
          EXPECT_NE(m.why, "") << key;
        }
      }
    }
  }
}

// --save-state takes no pass of its own that could differ.
TEST(RegressionContract, TheStateOfARunIsThatOfItsItems) {
  for (const Case& c : cases()) {
    for (RegressionOptions o : settings()) {
      RegressionState state;
      const Result with = evaluate_regression(c.data.items(), o, &state);
      EXPECT_EQ(state, regression_state(c.data.items(), o)) << c.name;
      expect_same_bits(with.metrics, evaluate_regression(c.data.items(), o).metrics,
                       c.name + ", with a state");
    }
  }
}

TEST(RegressionContract, ProgressRisesToOneAndWorkCanBeStopped) {
  const RegressionItems items = cases()[1].data.items();
  RegressionOptions o;
  o.bootstrap = 8;
  o.threads = 2;
  std::vector<double> shares;
  o.progress = [&](double share) { shares.push_back(share); };
  (void)evaluate_regression(items, o);
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_NEAR(shares.back(), 1, 1e-9);
  std::stop_source stop;
  o.cancel = stop.get_token();
  int after = 0;
  o.progress = [&](double share) {
    if (stop.stop_requested()) ++after;
    if (share > 0.3) stop.request_stop();
  };
  EXPECT_THROW((void)evaluate_regression(items, o), Cancelled);
  EXPECT_LE(after, 4);  // blocks that other threads had started
  EXPECT_THROW((void)evaluate_regression(items, o), Cancelled) << "and nothing starts any more";
}

// --range cuts the bins of uce and moves nothing else, whatever lies outside it.
TEST(RegressionContract, ARangeMovesOnlyItsBins) {
  for (const Case& c : cases()) {
    RegressionOptions o;
    const Result wide = evaluate_regression(c.data.items(), o);
    o.range = RegressionRange{0.05, 0.1};
    const Result narrow = evaluate_regression(c.data.items(), o);
    for (const auto& [key, m] : wide.metrics)
      if (!key.starts_with("uce"))
        expect_same_bits(m, find_result(narrow.metrics, key), c.name + ", with a range: " + key);
  }
}

struct Facts {
  std::int64_t items = 0, degenerate = 0, outside = 0;
  bool range = false, merged = false;
};

struct Reason {
  std::string pattern;
  std::function<bool(const Facts&, const MetricRow&, std::int64_t count)> holds;
  bool of_a_run = true;  ///< some case shows it
};

const std::vector<Reason>& reasons() {
  static const std::vector<Reason> all = {
      {"there are no items of positive weight",
       [](const Facts& f, const MetricRow&, std::int64_t) { return f.items == 0; }, false},
      {"there is nothing to compute it from",
       [](const Facts&, const MetricRow&, std::int64_t) { return false; }, false},
      {"no item lies in the range of the bins",
       [](const Facts& f, const MetricRow& row, std::int64_t) {
         return row.key.starts_with("uce") && f.range && f.outside == f.items;
       }},
      {"(\\d+) predictions? of variance 0 \\(or an error beyond 1e17 standard deviations\\) (?:has|have) no likelihood; clip raises small variances",
       [](const Facts& f, const MetricRow&, std::int64_t n) { return n == f.degenerate; }},
      {"some prediction has variance 0; clip raises small variances",
       [](const Facts& f, const MetricRow&, std::int64_t) { return f.degenerate > 0; }},
      {"a bin of the smallest variances has mean 0; clip raises small variances",
       [](const Facts& f, const MetricRow&, std::int64_t) { return f.degenerate > 0; }},
      {"needs all the data in one run; a merged state has only the streaming sums",
       [](const Facts& f, const MetricRow& row, std::int64_t) {
         return f.merged && row.room != Room::streaming;
       }},
      {"its bins run from the smallest to the largest variance of all the data; save the states with range",
       [](const Facts& f, const MetricRow& row, std::int64_t) {
         return f.merged && !f.range && row.key.starts_with("uce");
       }},
  };
  return all;
}

/// Options are named as each front end spells them; the reason is the same.
std::string bare(std::string why) {
  for (const std::string mark : {"--", "⟦", "⟧"})
    for (std::size_t at; (at = why.find(mark)) != std::string::npos;) why.erase(at, mark.size());
  return why;
}

Facts facts_of(const SimulatedRegression& s, const RegressionOptions& o) {
  Facts f;
  f.range = o.range.has_value();
  for (std::int64_t i = 0; i < s.n; ++i) {
    if (!s.weight.empty() && s.weight[static_cast<std::size_t>(i)] == 0) continue;
    ++f.items;
    const double v = std::max(s.variance[static_cast<std::size_t>(i)], o.clip);
    f.degenerate += v == 0;
    if (o.range) f.outside += v < o.range->low || v > o.range->high;
  }
  return f;
}

TEST(RegressionContract, ReasonsAreTrue) {
  struct Edge {
    std::string name;
    SimulatedRegression data;
    RegressionOptions options;
  };
  std::vector<Edge> edges;
  const SimulatedRegression plain = simulate({.n = 60, .seed = 8});
  SimulatedRegression zero = plain, one_zero = plain, light = plain;
  for (std::size_t i = 0; i < 60; i += 5) zero.variance[i] = 0;
  one_zero.variance[7] = 0;
  light.variance[7] = light.variance[9] = 0;
  light.weight.assign(60, 1.0);
  light.weight[7] = light.weight[9] = 0;
  RegressionOptions clipped, beyond;
  clipped.clip = 0.01;
  beyond.range = RegressionRange{1e6, 2e6};
  for (const auto& [name, data] : {std::pair{"plain", plain},
                                   {"variances of 0", zero},
                                   {"one variance of 0", one_zero},
                                   {"variances of 0 and weight 0", light}}) {
    edges.push_back({name, data, {}});
    edges.push_back({name + std::string(", clipped"), data, clipped});
  }
  edges.push_back({"beyond the range", plain, beyond});
  std::set<std::string> seen;
  const auto check = [&](const Result& r, const Facts& facts, const std::string& what) {
    for (const auto& [key, m] : r.metrics) {
      if (m.value) {
        EXPECT_EQ(m.why, "") << what << ": " << key;
        continue;
      }
      const std::string why = bare(m.why);
      int known = 0;
      for (const Reason& reason : reasons()) {
        std::smatch found;
        if (!std::regex_match(why, found, std::regex(reason.pattern))) continue;
        ++known;
        seen.insert(reason.pattern);
        EXPECT_TRUE(reason.holds(facts, row_of(key), found.size() > 1 ? std::stoll(found[1]) : -1))
            << what << ": " << key << " is said to be undefined because " << why;
      }
      EXPECT_EQ(known, 1) << what << ": " << key << " gives a reason that is not in the list: \"" << why
                          << "\"";
    }
  };
  for (const Edge& e : edges) {
    Facts facts = facts_of(e.data, e.options);
    check(evaluate_regression(e.data.items(), e.options), facts, e.name);
    facts.merged = true;
    check(finish(regression_state(e.data.items(), e.options), e.options), facts, e.name + ", merged");
  }
  for (const Reason& r : reasons())
    EXPECT_EQ(seen.contains(r.pattern), r.of_a_run) << "no case shows: " << r.pattern;
}

TEST(RegressionContract, EveryKeyIsDocumented) {
  std::string text;
  for (const auto& f :
       std::filesystem::recursive_directory_iterator(std::string(PLUMB_SOURCE_DIR) + "/docs")) {
    if (f.path().extension() != ".md") continue;
    std::stringstream s;
    s << std::ifstream(f.path()).rdbuf();
    text += s.str();
  }
  for (const MetricRow& row : regression_metrics())
    EXPECT_NE(text.find("`" + std::string(row.key) + "`"), std::string::npos)
        << row.key << " is not documented";
}

}  // namespace
}  // namespace plumb::test
