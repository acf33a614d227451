#include "plumb/api/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "plumb/calibrate/map.hpp"
#include "plumb/plumb.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::VoteForm;

TEST(Fit, EveryMethodEqualsTheCore) {
  for (const int classes : {2, 3}) {
    const Items items = test::to_items(
        test::simulate({.n = 300, .classes = classes, .raters = 3, .sharpen = 2}), VoteForm::counts);
    for (const CalibratorRow& row : calibrators()) {
      if (!row.serves(classes) || row.complexity == Complexity::free || row.method == "auto") continue;
      SCOPED_TRACE(std::string(row.method) + ", " + std::to_string(classes));
      const Model model = fit(row.method, items);
      const std::vector<Step> steps = fit_calibrator(row.method, items, {});
      ASSERT_EQ(model.parts().steps.size(), steps.size());
      for (std::size_t i = 0; i < steps.size(); ++i)
        EXPECT_EQ(model.parts().steps[i].parameters, steps[i].parameters);
      EXPECT_EQ(probabilities(model.apply(items)), probabilities(calibrated(items, model.parts(), 1)));
    }
  }
}

TEST(Fit, TheFileKeepsTheModel) {
  const Items items =
      test::to_items(test::simulate({.n = 200, .classes = 3, .sharpen = 3}), VoteForm::labels);
  const Model model = fit("vector", items);
  const std::string path = testing::TempDir() + "plumb_api_model.json";
  model.save(path);
  const std::vector<double> z = probabilities(model.apply(items));
  EXPECT_EQ(probabilities(load(path).apply(items)), z);
  EXPECT_EQ(probabilities(Model::from_bytes(model.to_bytes()).apply(items)), z);
  EXPECT_EQ(load(path).to_bytes(), model.to_bytes());
  EXPECT_FALSE(model.to_onnx().empty());
  std::remove(path.c_str());
  EXPECT_THROW((void)load(path), InputError);
  EXPECT_THROW((void)Model::from_bytes("{}"), InputError);
  EXPECT_THROW(model.save("/no/such/folder/model.json"), InputError);
}

TEST(Fit, AppliesToPredictionsWithoutLabels) {
  const std::vector<float> logits{2, 0, 1, 0, 3, 1, -1, 0, 4};
  const Model model = fit("temperature", make_items({.logits = {logits, 3}, .labels = std::vector{0, 2, 2}}));
  const std::vector<double> z = probabilities(model.apply(make_items({.logits = {logits, 3}})));
  ASSERT_EQ(z.size(), logits.size());
  EXPECT_NEAR(z[0] + z[1] + z[2], 1, 1e-15);
  EXPECT_THROW((void)model.apply(make_items({.logits = {logits, 9}})), InputError);
  EXPECT_THROW((void)model.apply(make_regression_items({.mean = logits, .variance = std::vector<int>(9, 1)})),
               InputError);
}

TEST(Fit, AStepAfterAnother) {
  const Items items =
      test::to_items(test::simulate({.n = 300, .classes = 3, .raters = 5, .sharpen = 2, .heterogeneity = 3}),
                     VoteForm::counts);
  const Model first = fit("temperature", items);
  const Model both = fit_after(first, "alpha", items);
  ASSERT_EQ(both.parts().steps.size(), 2u);
  const Items after = both.apply(items);
  EXPECT_EQ(probabilities(after), probabilities(first.apply(items)));
  ASSERT_EQ(after.concentration.size(), 1u);
  EXPECT_LT(*evaluate(after)["disagreement_loss"].value, *evaluate(items)["disagreement_loss"].value);
}

TEST(Fit, AlphaWithFeatures) {
  const Items items = test::to_items(
      test::simulate({.n = 200, .classes = 3, .raters = 5, .heterogeneity = 3}), VoteForm::counts);
  std::vector<double> x;
  for (int i = 0; i < 200; ++i) x.push_back(i % 7);
  const Rows features = Data(x, 1).rows("features");
  const Model model = fit("alpha", items, {.features = features});
  EXPECT_EQ(model.apply(items, {.features = features}).concentration.front().rows(), 200);
  EXPECT_THROW((void)model.apply(items), InputError);
}

TEST(Fit, RefusesUnknownMethods) {
  const Items items = make_items({.probs = std::vector{0.25, 0.5}, .labels = std::vector{0, 1}});
  try {
    (void)fit("temprature", items);
    FAIL() << "there is no such method";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"temperature\"?"), std::string::npos) << e.what();
  }
}

struct Waves {
  std::vector<double> mean, variance, targets;
  explicit Waves(int n) {
    for (int i = 0; i < n; ++i) {
      mean.push_back(i % 10);
      variance.push_back(0.25 + (i % 4));
      targets.push_back(mean.back() + 2 * std::sqrt(variance.back()) * std::sin(7.0 * i));
    }
  }
  [[nodiscard]] RegressionItems items() const {
    return make_regression_items({.mean = mean, .variance = variance, .targets = targets});
  }
};

TEST(FitRegression, SigmaScalesTheVariance) {
  const Waves w(500);
  const RegressionItems items = w.items();
  const Model model = fit("sigma", items);
  const Step step = fit_regression_calibrator("sigma", items, {});
  EXPECT_EQ(model.parts().steps.front().parameters, step.parameters);
  const double factor = step.parameters.front().values.front();
  const std::vector<double> v = variances(model.apply(items));
  ASSERT_EQ(v.size(), w.variance.size());
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], factor * factor * w.variance[i], 1e-12);
  EXPECT_NEAR(*evaluate(model.apply(items))["zms"].value, 1, 1e-9);
  EXPECT_EQ(variances(Model::from_bytes(model.to_bytes()).apply(items)), v);
  const Intervals i95 = model.intervals(items);
  EXPECT_NEAR(i95.high[3] - i95.low[3], 2 * 1.959963984540054 * std::sqrt(v[3]), 1e-9);
  EXPECT_THROW((void)model.intervals(items, 1.5), InputError);
  EXPECT_THROW((void)model.apply(make_items({.probs = std::vector{0.5}})), InputError);
}

TEST(FitRegression, ConformalHasIntervalsOnly) {
  const Waves w(500);
  const Model model = fit("conformal", w.items(), {.levels = {0.9}});
  const Intervals bounds = model.intervals(w.items(), 0.9);
  int inside = 0;
  for (std::size_t i = 0; i < w.targets.size(); ++i)
    inside += w.targets[i] >= bounds.low[i] && w.targets[i] <= bounds.high[i];
  EXPECT_NEAR(inside / 500.0, 0.9, 0.02);
  EXPECT_THROW((void)model.apply(w.items()), InputError);
  EXPECT_THROW((void)model.intervals(make_regression_items({.variance = w.variance})), InputError);
}

}  // namespace
}  // namespace plumb
