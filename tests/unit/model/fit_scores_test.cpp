#include "plumb/model/fit_scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "unit/calibrate/some_items.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb {
namespace {

TEST(FitScores, AreThoseOfTheItemsAndOfTheCalibratedItems) {
  const Items items = some::simulate(400, 3, 4, 5).items();
  const FittedModel fitted = fit_model("temperature", items);
  const auto scores = fit_scores(fitted, {});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].key, "nll");
  EXPECT_EQ(scores[1].key, "ece");
  EXPECT_LT(*scores[0].after, *scores[0].before);
  EvaluateOptions options;
  options.metrics = {"nll"};
  const Result after = evaluate(apply_model(fitted.model, items), options);
  EXPECT_DOUBLE_EQ(*scores[0].after, *after.metrics.front().second.value);
}

TEST(FitScores, OfAlphaAreThoseOfDisagreement) {
  const auto scores = fit_scores(fit_model("alpha", some::simulate(400, 3, 4, 5).items()), {});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].key, "disagreement_loss");
  EXPECT_TRUE(scores[0].before && scores[0].after);
}

TEST(FitScores, TheLeagueIsASectionOfTheSecondResult) {
  const FitResults results = fit_results(fit_model("auto", some::simulate(200, 2, 4, 5).items()), {});
  const auto has_league = [](const Result& r) {
    return std::any_of(r.sections.begin(), r.sections.end(),
                       [](const auto& s) { return s.first == "league"; });
  };
  EXPECT_FALSE(has_league(results.before));
  EXPECT_TRUE(has_league(results.after));
}

TEST(FitScores, OfARegressionWhereThereAreVariances) {
  const RegressionItems items = test::simulate({.n = 500, .factor = 2}).items();
  const CalibrationModel sigma = fit_regression_model("sigma", items);
  ASSERT_TRUE(has_fit_scores(sigma, items));
  const auto scores = fit_scores(sigma, items, {});
  ASSERT_EQ(scores.size(), 4u);
  EXPECT_EQ(scores[1].key, "zms");
  EXPECT_GT(*scores[1].before, 2);
  EXPECT_NEAR(*scores[1].after, 1, 1e-9);
  const CalibrationModel conformal = fit_regression_model("conformal", items);
  EXPECT_FALSE(has_fit_scores(conformal, items));
  EXPECT_TRUE(fit_scores(conformal, items, {}).empty());
}

}  // namespace
}  // namespace plumb
