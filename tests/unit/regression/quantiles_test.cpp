// Forecasts of quantiles: a naive reference, proper scores, slices, what is refused.
#include "plumb/regression/quantiles.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

const std::vector<double> kLevels{0.05, 0.25, 0.5, 0.75, 0.95};

struct Forecast {
  std::vector<double> q, y;
};

/// Quantiles of N(mean, spread) for targets of N(mean, 1).
Forecast forecast(int n, double spread, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 2);
  Forecast f;
  for (int i = 0; i < n; ++i) {
    const double mean = 3 * rng.normal();
    for (const double level : kLevels) f.q.push_back(mean + spread * normal_quantile(level));
    f.y.push_back(mean + rng.normal());
  }
  return f;
}

QuantileItems items_of(const Forecast& f) {
  const auto n = std::ssize(f.y);
  return {Rows(array_of(f.q, {n, std::ssize(kLevels)}, "q.npy")),
          kLevels,
          Rows(array_of(f.y, {n}, "y.npy")),
          {},
          {},
          {}};
}

TEST(Quantiles, AgreeWithANaiveReference) {
  const Forecast f = forecast(300, 0.8, 1);
  QuantileItems items = items_of(f);
  std::vector<double> weight;
  for (int i = 0; i < 300; ++i) weight.push_back(i % 4);
  items.weights = Rows(array_of(weight, {300}, "w.npy"));
  const Result r = evaluate_quantiles(items);
  double pinball = 0, score = 0, inside = 0, width = 0, mass = 0;
  for (int i = 0; i < 300; ++i) {
    const double y = f.y[i], w = weight[i], *q = &f.q[5 * i];
    mass += w;
    for (int l = 0; l < 5; ++l)
      pinball += w * std::max(kLevels[l] * (y - q[l]), (kLevels[l] - 1) * (y - q[l])) / 5;
    score += w * (q[4] - q[0] + 20 * std::max(0.0, q[0] - y) + 20 * std::max(0.0, y - q[4]));
    inside += w * (q[0] <= y && y <= q[4]);
    width += w * (q[4] - q[0]);
  }
  constexpr double kRounding = 1e-12;  // sums in another order
  EXPECT_NEAR(*r["pinball"].value, pinball / mass, kRounding);
  EXPECT_NEAR(*r["interval_score_90"].value, score / mass, kRounding * 20);
  EXPECT_NEAR(*r["coverage_90"].value, inside / mass, kRounding);
  EXPECT_NEAR(*r["width_90"].value, width / mass, kRounding * 10);
  EXPECT_EQ(*r["crossing"].value, 0);
  EXPECT_TRUE(r["coverage_50"].value.has_value());
}

TEST(Quantiles, TheTrueSpreadHasTheBestScores) {
  double best_pinball = 1e9, best_score = 1e9, at_pinball = 0, at_score = 0;
  for (const double spread : {0.6, 0.8, 1.0, 1.25, 1.6}) {
    const Result r = evaluate_quantiles(items_of(forecast(20000, spread, 3)));
    if (*r["pinball"].value < best_pinball) best_pinball = *r["pinball"].value, at_pinball = spread;
    if (*r["interval_score_90"].value < best_score)
      best_score = *r["interval_score_90"].value, at_score = spread;
  }
  EXPECT_EQ(at_pinball, 1.0);
  EXPECT_EQ(at_score, 1.0);
}

TEST(Quantiles, IntervalsSlicesAndThreads) {
  QuantileItems items = items_of(forecast(240, 1, 5));
  std::vector<std::int64_t> site, group;
  for (int i = 0; i < 240; ++i) {
    site.push_back(i % 2);
    group.push_back(i / 4);
  }
  items.by = {Names(Rows(array_of(site, {240}, "site.npy")))};
  items.groups = Names(Rows(array_of(group, {240}, "group.npy")));
  QuantileOptions o{.bootstrap = 40, .seed = 3, .threads = 1};
  const Result one = evaluate_quantiles(items, o);
  o.threads = 4;
  const Result four = evaluate_quantiles(items, o);
  for (const char* key : {"pinball", "interval_score_90", "coverage_90"}) {
    ASSERT_TRUE(one[key].low) << key;
    EXPECT_LT(*one[key].low, *one[key].value);
    EXPECT_GT(*one[key].high, *one[key].value);
    EXPECT_EQ(*one[key].low, *four[key].low);
    EXPECT_EQ(*one[key].high, *four[key].high);
  }
  ASSERT_EQ(one.per_group.size(), 2u);
  EXPECT_FALSE(one.per_group[0].intervals.empty());
  for (const auto& [key, i] : one.per_group[0].intervals) EXPECT_LE(i.simultaneous_low, i.low) << key;
}

TEST(Quantiles, CrossingQuantilesAreCounted) {
  Forecast f = forecast(10, 1, 1);
  std::swap(f.q[0], f.q[4]);
  EXPECT_DOUBLE_EQ(*evaluate_quantiles(items_of(f))["crossing"].value, 0.1);
}

TEST(Quantiles, PairsOfLevels) {
  EXPECT_EQ(central_pairs(kLevels).size(), 2u);
  EXPECT_EQ(central_pairs(std::vector<double>{0.1, 0.5, 0.95}).size(), 0u);
  EXPECT_EQ(level_name(0.9), "90");
  EXPECT_EQ(level_name(0.995), "99_5");
}

TEST(Quantiles, BadInputIsRefused) {
  const Forecast f = forecast(10, 1, 1);
  const auto refused = [](QuantileItems items) {
    EXPECT_THROW(static_cast<void>(evaluate_quantiles(items)), InputError);
  };
  QuantileItems items = items_of(f);
  items.levels = {0.05, 0.5, 0.95};
  refused(items);
  items.levels = {0.05, 0.25, 0.25, 0.75, 0.95};
  refused(items);
  items.levels = {0, 0.25, 0.5, 0.75, 0.95};
  refused(items);
  items = items_of(f);
  items.targets = Rows(array_of(std::vector<double>(9, 0.0), {9}, "y.npy"));
  refused(items);
  Forecast bad = f;
  bad.q[7] = NAN;
  refused(items_of(bad));
  bad = f;
  bad.y[3] = INFINITY;
  refused(items_of(bad));
  items = items_of(f);
  items.weights = Rows(array_of(std::vector<double>(10, 0.0), {10}, "w.npy"));
  refused(items);
}

}  // namespace
}  // namespace plumb
