// What every ordered metric must keep, run over all of them.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <string>

#include "plumb/metrics/ordered/atb.hpp"
#include "plumb/metrics/ordered/brier_refinement.hpp"
#include "plumb/metrics/ordered/calibration_line.hpp"
#include "plumb/metrics/ordered/corp.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/ks.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// Both ways add the same exact numbers; a few roundings of the result and of a Newton step may differ.
constexpr double kTwiceTolerance = 1e-12;

struct Metric {
  std::string key;
  std::function<Estimate(const ForecastsView&)> compute;
};

std::vector<Metric> metrics() {
  return {{"ece_mass", [](const ForecastsView& f) { return ece(equal_mass_table(f, 10)); }},
          {"mce_mass", [](const ForecastsView& f) { return mce(equal_mass_table(f, 10)); }},
          {"ece_sweep", [](const ForecastsView& f) { return ece_sweep(f); }},
          {"ks", [](const ForecastsView& f) { return ks(f); }},
          {"kuiper", [](const ForecastsView& f) { return kuiper(f); }},
          {"atb", [](const ForecastsView& f) { return atb(f); }},
          {"mcb", [](const ForecastsView& f) { return corp_brier(f).mcb; }},
          {"dsc", [](const ForecastsView& f) { return corp_brier(f).dsc; }},
          {"unc", [](const ForecastsView& f) { return corp_brier(f).unc; }},
          {"log_mcb", [](const ForecastsView& f) { return corp_log(f, 0).mcb; }},
          {"log_dsc", [](const ForecastsView& f) { return corp_log(f, 0).dsc; }},
          {"log_unc", [](const ForecastsView& f) { return corp_log(f, 0).unc; }},
          {"auroc", [](const ForecastsView& f) { return auroc(f); }},
          {"auprc", [](const ForecastsView& f) { return auprc(f); }},
          {"aurc", [](const ForecastsView& f) { return risk_coverage(f).aurc; }},
          {"eaurc", [](const ForecastsView& f) { return risk_coverage(f).eaurc; }},
          {"augrc", [](const ForecastsView& f) { return risk_coverage(f).augrc; }},
          {"brier_calibration", [](const ForecastsView& f) { return brier_refinement(f).calibration; }},
          {"brier_refinement", [](const ForecastsView& f) { return brier_refinement(f).refinement; }},
          {"calibration_slope", [](const ForecastsView& f) { return calibration_line(f, 0).slope; }},
          {"calibration_intercept", [](const ForecastsView& f) { return calibration_line(f, 0).intercept; }}};
}

void expect_same_bits(const Column& a, const Column& b, const std::string& what) {
  for (const Metric& m : metrics()) {
    const Estimate x = m.compute(a.view());
    const Estimate y = m.compute(b.view());
    ASSERT_EQ(x.value.has_value(), y.value.has_value()) << what << ": " << m.key;
    EXPECT_EQ(x.why, y.why) << what << ": " << m.key;
    if (!x) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*x.value), std::bit_cast<std::uint64_t>(*y.value))
        << what << ": " << m.key << " " << *x.value << " " << *y.value;
  }
}

void expect_near(const Column& a, const Column& b, const std::string& what) {
  for (const Metric& m : metrics()) {
    const Estimate x = m.compute(a.view());
    const Estimate y = m.compute(b.view());
    ASSERT_EQ(x.value.has_value(), y.value.has_value()) << what << ": " << m.key;
    if (!x) continue;
    EXPECT_NEAR(*x.value, *y.value, kTwiceTolerance) << what << ": " << m.key;
  }
}

std::string name(const ColumnOptions& o) {
  return "seed " + std::to_string(o.seed) + ", n " + std::to_string(o.n);
}

TEST(OrderedLaws, TiedItemsInAnyOrder) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    for (const std::uint64_t seed : {1, 2, 3}) expect_same_bits(c, sorted(c, seed), name(o));
  }
}

TEST(OrderedLaws, UnitWeightsAreNoWeights) {
  for (const ColumnOptions& o : kinds()) {
    if (o.weighted) continue;
    const Column c = random_column(o);
    Column w = c;
    w.weight.assign(c.size(), 1.0);
    expect_same_bits(c, w, name(o));
  }
}

TEST(OrderedLaws, TimesAreRowsRepeated) {
  for (const ColumnOptions& o : kinds()) {
    if (!o.resampled) continue;
    const Column c = random_column(o);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < c.size(); ++i) rows.insert(rows.end(), c.times[i], i);
    Column repeated = take(c, rows);
    repeated.times.clear();
    if (o.weighted) {
      expect_near(c, repeated, name(o));
    } else {
      expect_same_bits(c, repeated, name(o));
    }
  }
}

TEST(OrderedLaws, VotesAreRows) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    if (o.weighted) {
      expect_near(c, expanded(c), name(o));
    } else {
      expect_same_bits(c, expanded(c), name(o));
    }
  }
}

TEST(OrderedLaws, WeightTwoIsTheRowTwice) {
  for (const ColumnOptions& o : kinds()) {
    Column c = random_column(o);
    if (c.weight.empty()) c.weight.assign(c.size(), 1.0);
    Column heavy = c;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < c.size(); ++i) {
      rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
      if (i % 3 == 0) heavy.weight[i] *= 2;
    }
    expect_near(heavy, take(c, rows), name(o));
  }
}

TEST(OrderedLaws, ItemsWithoutMassCountNowhere) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    // A copy of each kind of nothing: no trials, never drawn, no weight;
    // also at p = 0 and p = 1 and between distinct p.
    for (const int kind : {0, 1, 2}) {
      Column with = c;
      if (kind == 0 && with.trials.empty()) with.trials.assign(c.size(), 1.0);
      if (kind == 1 && with.times.empty()) with.times.assign(c.size(), 1);
      if (kind == 2 && with.weight.empty()) with.weight.assign(c.size(), 1.0);
      for (const double p : {0.0, 0.0004, 0.25, 0.5, 0.625, 0.9995, 1.0}) {
        with.p.push_back(p);
        with.hits.push_back(kind == 0 ? 0.0 : 1.0);
        if (!with.trials.empty()) with.trials.push_back(kind == 0 ? 0.0 : 1.0);
        if (!with.times.empty()) with.times.push_back(kind == 1 ? 0 : 1);
        if (!with.weight.empty()) with.weight.push_back(kind == 2 ? 0.0 : 1.0);
      }
      expect_same_bits(c, sorted(with), name(o) + ", kind " + std::to_string(kind));
    }
  }
}

TEST(OrderedLaws, NothingIsUndefinedWithAReason) {
  Column empty;
  Column massless = random_column({.n = 3, .seed = 1});
  massless.times.assign(3, 0);
  Column weightless = random_column({.n = 3, .seed = 1});
  weightless.weight.assign(3, 0.0);
  for (const Column& c : {empty, massless, weightless}) {
    for (const Metric& m : metrics()) {
      if (m.key == "ece_mass" || m.key == "mce_mass") continue;  // read off a table
      const Estimate e = m.compute(c.view());
      EXPECT_FALSE(e) << m.key;
      EXPECT_EQ(e.why, kNoVotes) << m.key;
    }
  }
}

TEST(OrderedLaws, RealHitsThatAreWholeAreWholeHits) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    Column real = c;
    real.whole_counts = false;
    for (const Metric& m : metrics()) {
      if (m.key == "eaurc") continue;  // its ideal order is of votes, which real hits are not
      const Estimate x = m.compute(c.view());
      const Estimate y = m.compute(real.view());
      ASSERT_EQ(x.value.has_value(), y.value.has_value()) << name(o) << ": " << m.key;
      if (!x) continue;
      EXPECT_EQ(*x.value, *y.value) << name(o) << ": " << m.key;
    }
  }
}

}  // namespace
}  // namespace plumb::test
