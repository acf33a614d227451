#include "plumb/calibrate/fit_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

Items data_of(int classes) { return some::simulate(200, classes, 4, 11).items(); }

std::vector<double> collected(const CalibrationModel& model, const Predictions& predictions,
                              const ApplyOptions& options = {}) {
  std::vector<double> out;
  apply_model(model, predictions, options, [&](const CalibratedChunk& chunk) {
    EXPECT_EQ(chunk.begin * std::ssize(chunk.probabilities), std::ssize(out) * chunk.size);
    out.insert(out.end(), chunk.probabilities.begin(), chunk.probabilities.end());
  });
  return out;
}

TEST(FitModel, SaysWhatItIs) {
  Items items = data_of(3);
  items.class_names = {"a", "b", "c"};
  const FittedModel three = fit_model("temperature", items);
  EXPECT_EQ(three.model.task, "multiclass");
  EXPECT_EQ(three.model.classes, 3);
  EXPECT_EQ(three.model.input, "logits");
  EXPECT_EQ(three.model.class_names, items.class_names);
  EXPECT_EQ(three.model.version, version());
  EXPECT_TRUE(three.league.empty());
  EXPECT_EQ(three.model.steps.front().parameters, some::fit("temperature", items, {}).parameters);
  EXPECT_EQ(fit_model("platt", data_of(2)).model.task, "binary");
}

bool warns(const Step& step, const std::string& of) {
  return std::any_of(step.fit.warnings.begin(), step.fit.warnings.end(),
                     [&](const std::string& w) { return w.find(of) != std::string::npos; });
}

// A calibrated model and 60 items: twelve free parameters overfit, and the fit says so.
TEST(FitModel, AFitThatDoesHarmWarns) {
  some::Data d = some::simulate(60, 6, 1, 41);
  RandomStream r(42, Purpose::sample);
  for (std::size_t i = 0; i < 60; ++i) {
    double e[6], sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += e[k] = std::exp(d.logits[6 * i + k] = r.normal());
    double u = r.uniform() * sum;
    std::size_t y = 0;
    while (y < 5 && u >= e[y]) u -= e[y++];
    for (std::size_t k = 0; k < 6; ++k) d.counts[6 * i + k] = k == y ? 1 : 0;
  }
  for (const char* method : {"vector", "isotonic", "histogram"})
    EXPECT_TRUE(warns(fit_model(method, d.items()).model.steps.front(), "On held-out folds it is worse"))
        << method;
  EXPECT_FALSE(warns(fit_model("none", d.items()).model.steps.front(), "held-out"));
  // Over-confident logits are corrected.
  EXPECT_FALSE(warns(fit_model("temperature", data_of(3)).model.steps.front(), "held-out"));
  // Four items cannot be split into five folds, which is reported.
  EXPECT_TRUE(warns(fit_model("temperature", some::simulate(4, 3, 3, 2).items()).model.steps.front(),
                    "Not compared"));
}

TEST(FitModel, AutoBringsItsLeague) {
  const FittedModel chosen = fit_model("auto", data_of(2));
  ASSERT_FALSE(chosen.league.empty());
  const auto first = std::find_if(chosen.league.begin(), chosen.league.end(),
                                  [](const LeagueRow& row) { return row.chosen; });
  EXPECT_EQ(first->method, chosen.model.steps.front().method);
}

TEST(FitModel, AStepAfterAModelSeesWhatTheModelGives) {
  const Items items = data_of(3);
  const CalibrationModel first = fit_model("temperature", items).model;
  const FittedModel both = fit_model("isotonic", items, {}, &first);
  ASSERT_EQ(both.model.steps.size(), 2u);
  EXPECT_EQ(both.model.input, "logits");
  const Items warm = calibrated(items, first, 1);
  EXPECT_EQ(both.model.steps.back().parameters, some::fit("isotonic", warm, {}).parameters);
  EXPECT_EQ(collected(both.model, items.predictions),
            collected(fit_model("isotonic", warm).model, warm.predictions));
}

TEST(FitModel, NothingComesAfterAlpha) {
  const Items items = data_of(3);
  CalibrationModel alpha = fit_model("alpha", items).model;
  alpha.name = "alpha.json";
  try {
    (void)fit_model("temperature", items, {}, &alpha);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()).find("alpha.json ends with alpha"), 0u);
  }
  EXPECT_THROW((void)fit_model("temperature", data_of(2), {}, &alpha), InputError);
}

TEST(ApplyModel, TwoColumnsStayTwo) {
  const Items items = data_of(2);
  const CalibrationModel model = fit_model("platt", items).model;
  const std::vector<double> one = collected(model, items.predictions);
  EXPECT_EQ(calibrated_shape(items.predictions), std::vector<std::int64_t>{200});
  std::vector<double> pairs;
  PredictionBlock block;
  items.predictions.read(0, items.size(), block);
  for (const double p : block.z) pairs.insert(pairs.end(), {1 - p, p});
  const Predictions two({Rows(array_of(pairs, {200, 2}, "two.npy"))}, Scale::probability);
  EXPECT_EQ(calibrated_shape(two), (std::vector<std::int64_t>{200, 2}));
  const std::vector<double> both = collected(model, two);
  ASSERT_EQ(both.size(), 400u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(both[2 * i + 1], one[i], 1e-12);  // log-odds of p instead of the logit itself
    EXPECT_EQ(both[2 * i], 1 - both[2 * i + 1]);
  }
}

TEST(ApplyModel, AlphaGivesConcentrationAndDisagreement) {
  const Items items = data_of(3);
  const FittedModel fitted = fit_model("alpha", items);
  std::int64_t seen = 0;
  apply_model(fitted.model, items.predictions, {.disagreement = true}, [&](const CalibratedChunk& chunk) {
    EXPECT_EQ(std::ssize(chunk.concentration), chunk.size);
    ASSERT_EQ(std::ssize(chunk.disagreement), chunk.size);
    for (std::int64_t i = 0; i < chunk.size; ++i) {
      const double a = chunk.concentration[i];
      double same = 0;
      for (int k = 0; k < 3; ++k) same += chunk.probabilities[3 * i + k] * chunk.probabilities[3 * i + k];
      EXPECT_NEAR(chunk.disagreement[i], (1 - same) * a / (a + 1), 1e-12);
    }
    seen += chunk.size;
  });
  EXPECT_EQ(seen, items.size());
  EXPECT_EQ(apply_model(fitted.model, items).concentration.size(), 1u);
}

TEST(ApplyModel, OtherClassNamesAreRefused) {
  Items items = data_of(3);
  items.class_names = {"a", "b", "c"};
  const CalibrationModel model = fit_model("temperature", items).model;
  items.class_names = {"b", "a", "c"};
  EXPECT_THROW((void)apply_model(model, items), InputError);
  items.class_names.clear();
  EXPECT_EQ(apply_model(model, items).size(), items.size());
}

}  // namespace
}  // namespace plumb
