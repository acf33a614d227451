// Scores, parameters and pipelines.
#include "plumb/calibrate/map.hpp"

#include <gtest/gtest.h>

#include "parametric.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using test::fit;
using test::simulate;
using test::to_items;
using test::VoteForm;

Step temperature(double t) {
  Step step;
  step.method = "temperature";
  step.add_parameter("T", t);
  return step;
}

TEST(Scores, ClipsAndCounts) {
  std::vector<double> z = {0, 1, 0.5, 0.25}, u(4);
  EXPECT_EQ(scores_of(z, 1, u), 2);
  EXPECT_NEAR(u[0], std::log(1e-12), 1e-9);
  EXPECT_NEAR(u[1], -std::log(1e-12), 1e-3);  // 1 - (1 - 1e-12) is 1e-12 to four digits
  EXPECT_EQ(u[2], 0);
  EXPECT_NEAR(u[3], std::log(1.0 / 3), 1e-15);
  EXPECT_EQ(scores_of(z, 4, u), 1);
  EXPECT_NEAR(u[0], std::log(1e-12), 1e-13);
  EXPECT_EQ(u[1], 0);
}

TEST(Scores, TwoLogitColumnsAreTheirDifference) {
  const Predictions p({Rows(array_of(std::vector<double>{1, 4, 3, -2}, {2, 2}, "l"))}, Scale::logit);
  ScoreBlock b;
  read_scores(p, 0, 2, b);
  EXPECT_EQ(b.u, (std::vector<double>{3, -5}));
  EXPECT_EQ(b.width, 1);
}

TEST(Parameters, AreAskedForByNameAndShape) {
  Step s = temperature(2);
  s.add_parameter("v", std::vector<double>{1, 2, 3});
  EXPECT_EQ(scalar_parameter(s, "T"), 2);
  EXPECT_EQ(vector_parameter(s, "v").size(), 3u);
  EXPECT_EQ(parameter(s, "v", {3})[2], 3);
  EXPECT_THROW((void)scalar_parameter(s, "v"), InputError);
  EXPECT_THROW((void)scalar_parameter(s, "a"), InputError);
  EXPECT_THROW((void)vector_parameter(s, "T"), InputError);
  EXPECT_THROW((void)parameter(s, "v", {4}), InputError);
  s.parameters[1].values.pop_back();  // torn
  EXPECT_THROW((void)vector_parameter(s, "v"), InputError);
  s.parameters[0].values[0] = std::nan("");
  EXPECT_THROW((void)scalar_parameter(s, "T"), InputError);
}

TEST(Pipeline, StepsFollowEachOther) {
  const Items items = to_items(simulate({.n = 50, .classes = 4}), VoteForm::labels);
  const Items twice = calibrated(items, {.classes = 4, .steps = {temperature(2), temperature(3)}}, 2);
  const Items once = calibrated(items, {.classes = 4, .steps = {temperature(6)}}, 1);
  PredictionBlock a, b;
  twice.predictions.read(0, 50, a);
  once.predictions.read(0, 50, b);
  for (std::size_t i = 0; i < a.z.size(); ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-12);
}

TEST(Pipeline, NoneAndAlphaKeepTheBits) {
  Step none, alpha;
  none.method = "none";
  alpha.method = "alpha";
  for (const int k : {2, 4}) {
    const Items items = to_items(simulate({.n = 50, .classes = k}), VoteForm::labels);
    PredictionBlock a, b;
    items.predictions.read(0, 50, a);
    for (const auto& steps : {std::vector<Step>{}, {none}, {none, alpha}}) {
      calibrated(items, {.classes = k, .steps = steps}, 2).predictions.read(0, 50, b);
      EXPECT_EQ(a.z, b.z);
    }
  }
}

TEST(Pipeline, WhatDoesNotFitIsRefused) {
  Step odd;
  odd.method = "magic";
  EXPECT_THROW((void)make_map(odd, 3), InputError);
  EXPECT_THROW((void)make_map(temperature(0), 3), InputError);
  EXPECT_THROW((void)make_map(temperature(1), 1), InputError);
  Step platt;
  platt.method = "platt";
  platt.add_parameter("a", 1.0);
  platt.add_parameter("b", 0.0);
  EXPECT_THROW((void)make_map(platt, 3), InputError);
  const Items items = to_items(simulate({.n = 5, .classes = 4}), VoteForm::labels);
  EXPECT_THROW((void)calibrated(items, {.classes = 3, .steps = {temperature(2)}}, 1), InputError);
}

TEST(None, ReportsTheLogLossAsItIs) {
  const auto s = simulate({.n = 9, .raters = 2});
  const Step step = fit("none", to_items(s, VoteForm::counts), {});
  EXPECT_EQ(step.fit.items, 9);
  EXPECT_EQ(step.fit.votes, 18);
  EXPECT_TRUE(step.parameters.empty());
  EXPECT_NEAR(step.fit.objective, static_cast<double>(test::naive_objective(step, s, test::naive_logits(s))),
              1e-12);
}

}  // namespace
}  // namespace plumb
