#include "plumb/metrics/ordered/score_tests.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

constexpr double kTolerance = 1e-11;  // relative; the reference adds in long double

long double naive_logit(double p) {
  const long double x = std::log(static_cast<long double>(p) / (1 - p));
  return std::clamp(x, -7.0L, 7.0L);
}

// Votes over their weight: 1 where there are no weights.
long double naive_scale(const Column& c) {
  if (c.weight.empty()) return 1;
  long double votes = 0, weight = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c.weight[i] > 0) votes += c.view().trials_of(i) * (c.times.empty() ? 1.0L : c.times[i]);
    weight += c.mass(i);
  }
  return votes / weight;
}

// Reference: the matrix inverted as it stands.
double naive_cox(const Column& c) {
  long double u0 = 0, u1 = 0, a = 0, b = 0, d = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const long double p = c.p[i], x = naive_logit(c.p[i]), e = c.gain(i) - c.mass(i) * p,
                      v = c.mass(i) * p * (1 - p);
    u0 += e, u1 += e * x, a += v, b += v * x, d += v * x * x;
  }
  return static_cast<double>(naive_scale(c) * (d * u0 * u0 - 2 * b * u0 * u1 + a * u1 * u1) /
                             (a * d - b * b));
}

double naive_z(const Column& c) {
  long double top = 0, v = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const long double p = c.p[i], x = 1 - 2 * p;
    top += (c.gain(i) - c.mass(i) * p) * x;
    v += c.mass(i) * p * (1 - p) * x * x;
  }
  return static_cast<double>(std::sqrt(naive_scale(c)) * top / std::sqrt(v));
}

TEST(ScoreTests, AreTheDefinitions) {
  for (const ColumnOptions& o : kinds()) {
    if (o.n < 3) continue;  // a matrix of one forecast has no inverse: see Edges
    const Column c = random_column(o);
    EXPECT_NEAR(*cox_score(c.view()).value / naive_cox(c), 1, kTolerance) << "seed " << o.seed;
    EXPECT_NEAR(*spiegelhalter_z(c.view()).value / naive_z(c), 1, kTolerance) << "seed " << o.seed;
  }
}

TEST(ScoreTests, ByHand) {
  // One forecast of 0.8 twice, one hit: e = -0.6 in all, v = 0.32; no slope.
  const Column same{.p = {0.8, 0.8}, .hits = {1, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_NEAR(*cox_score(same.view()).value, 0.36 / 0.32, 1e-12);
  EXPECT_NEAR(*spiegelhalter_z(same.view()).value, 0.36 / std::sqrt(0.32 * 0.36), 1e-12)
      << "over-confident: above 0";
}

TEST(ScoreTests, Edges) {
  const Column empty{.p = {}, .hits = {}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(cox_score(empty.view()).why, kNoVotes);
  EXPECT_EQ(spiegelhalter_z(empty.view()).why, kNoVotes);
  const Column sure{.p = {0, 1}, .hits = {0, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_FALSE(cox_score(sure.view()));
  EXPECT_FALSE(spiegelhalter_z(sure.view()));
  const Column even{.p = {0.5}, .hits = {1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_FALSE(spiegelhalter_z(even.view())) << "at 1/2 the Brier score is sure";
  EXPECT_EQ(*cox_score(even.view()).value, 1);
  const Column mixed{.p = {0, 0.5, 1}, .hits = {1, 1, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_TRUE(std::isfinite(*cox_score(mixed.view()).value)) << "log-odds are cut";
}

// Draws of outcomes on one column share what the forecasts alone decide.
// The functions add the terms of n equal votes exactly, so that a ladder of forecasts has their bits; draws
// round hits - n p once, and p-values take what differs by rounding as equal.
TEST(ScoreTests, AgreeWithTheFunctions) {
  const std::vector<double> p{0, 0.01, 0.3, 0.3, 0.5, 0.77, 0.999, 1};
  const std::vector<double> trials{1, 2, 0, 3, 1, 4, 2, 1}, weight{1, 0.3, 2, 0, 1.7, 1, 5, 1};
  const std::vector<std::vector<double>> draws{
      {0, 0, 0, 0, 0, 0, 0, 0}, {1, 2, 0, 3, 1, 4, 2, 1}, {0, 1, 0, 2, 1, 3, 1, 1}};
  const std::vector<std::vector<double>> single{
      {0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 0, 0, 1, 0, 1, 1}};
  constexpr double kRelative = 1e-14;
  const auto expect_near = [&](std::optional<double> a, std::optional<double> b) {
    ASSERT_TRUE(a && b);
    EXPECT_NEAR(*a, *b, kRelative * std::abs(*a));
  };
  for (const bool votes : {false, true})
    for (const bool weighted : {false, true}) {
      ForecastsView f{p, draws[0], {}, {}, {}, true};
      if (votes) f.trials = trials;
      if (weighted) f.weight = weight;
      const ScoreTests kept(f);
      for (const std::vector<double>& hits : votes ? draws : single) {
        f.hits = hits;
        expect_near(kept.cox_score(f).value, cox_score(f).value);
        expect_near(kept.spiegelhalter_z(f).value, spiegelhalter_z(f).value);
        if (votes || weighted) continue;
        EXPECT_EQ(kept.cox_score(f).value, cox_score(f).value);
        EXPECT_EQ(kept.spiegelhalter_z(f).value, spiegelhalter_z(f).value);
      }
    }
  const std::vector<double> certain{0, 1}, hits{0, 1};
  const ForecastsView f{certain, hits, {}, {}, {}, true};
  EXPECT_EQ(ScoreTests(f).cox_score(f).why, cox_score(f).why);
  EXPECT_EQ(ScoreTests(f).spiegelhalter_z(f).why, spiegelhalter_z(f).why);
}

TEST(ScoreTests, SameBitsForAnyNumberOfThreads) {
  Forecasts f;
  for (int i = 0; i < 200'000; ++i) {  // several tasks, the last one short
    f.p.push_back(i * 7919 % 150'013 / 150'013.0);
    f.hits.push_back(i % 7 == 0);
  }
  for (const bool weighted : {false, true}) {
    if (weighted)
      for (std::size_t i = 0; i < f.size(); ++i) f.weight.push_back(0.1 * static_cast<double>(1 + i % 5));
    for (const int threads : {2, 5}) {
      EXPECT_EQ(*cox_score(f.view()).value, *cox_score(line_scores(f.view(), threads)).value);
      EXPECT_EQ(*spiegelhalter_z(f.view()).value, *spiegelhalter_z(f.view(), threads).value);
    }
  }
}

// Reference: one step of Newton's method written down with the whole matrix. For the slope the intercept is
// free; for the intercept the slope is 1.
TEST(ScoreTests, FirstStepOfTheLine) {
  for (const ColumnOptions& o : kinds()) {
    if (o.n < 3) continue;
    const Column c = random_column(o);
    long double u0 = 0, u1 = 0, a = 0, b = 0, d = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const long double p = c.p[i], x = naive_logit(c.p[i]), e = c.gain(i) - c.mass(i) * p,
                        v = c.mass(i) * p * (1 - p);
      u0 += e, u1 += e * x, a += v, b += v * x, d += v * x * x;
    }
    const CalibrationLine step = first_step(line_scores(c.view()));
    EXPECT_NEAR(*step.intercept.value, static_cast<double>(u0 / a), 1e-11) << "seed " << o.seed;
    EXPECT_NEAR(*step.slope.value, static_cast<double>(1 + (a * u1 - b * u0) / (a * d - b * b)), 1e-10)
        << "seed " << o.seed;
  }
}

TEST(ScoreTests, FirstStepWithoutASlope) {
  const Column equal{.p = {0.3, 0.3}, .hits = {1, 0}, .trials = {}, .weight = {}, .times = {}};
  const CalibrationLine step = first_step(line_scores(equal.view()));
  EXPECT_EQ(*step.slope.value, 1);
  EXPECT_NEAR(*step.intercept.value, 0.4 / 0.42, 1e-15);
  EXPECT_FALSE(first_step(line_scores(Column{}.view())).slope);
  const Column sure{.p = {0, 1}, .hits = {0, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_FALSE(first_step(line_scores(sure.view())).intercept);
}

}  // namespace
}  // namespace plumb::test
