#include "plumb/calibrate/regression/fit.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "plumb/calibrate/model.hpp"
#include "plumb/data/check.hpp"
#include "unit/calibrate_regression/apply.hpp"

namespace plumb::test {
namespace {

TEST(RegressionCalibrators, EachGoesThroughAModelFile) {
  const SimulatedRegression s = simulate({.n = 300, .factor = 1.4, .parts = true});
  for (const RegressionCalibratorRow& row : regression_calibrators()) {
    CalibrationModel model;
    model.task = "regression";
    model.input = "parts";
    model.version = "0.1.0";
    model.steps.push_back(fit_regression_calibrator(row.method, s.items(), {}));
    const CalibrationModel back = parse_model(model_text(model), "m.json");
    ASSERT_EQ(back.steps.size(), 1u) << row.method;
    EXPECT_EQ(back.steps[0].parameters, model.steps[0].parameters) << row.method;
    EXPECT_EQ(back.task, "regression");
    const auto map = make_variance_map(back.steps[0], 1);
    EXPECT_EQ(map->has_variance(), row.variances) << row.method;
    EXPECT_EQ(map->needs_parts(), row.parts) << row.method;
    if (row.variances) {
      EXPECT_EQ(calibrated(back.steps[0], s), calibrated(model.steps[0], s)) << row.method;
    }
  }
}

TEST(RegressionCalibrators, ForeignStepsAreRefused) {
  Step step;
  step.method = "temperature";
  EXPECT_THROW((void)make_variance_map(step, 1), InputError);
  step.method = "sigma";
  EXPECT_THROW((void)make_variance_map(step, 1), InputError);
  step.add_parameter("s", -1.0);
  EXPECT_THROW((void)make_variance_map(step, 1), InputError);
  step.method = "conformal";
  step.add_parameter("level", std::vector<double>{0.9, 0.5});
  EXPECT_THROW((void)make_variance_map(step, 1), InputError);
  try {
    (void)fit_regression_calibrator("sigmma", simulate({.n = 3}).items(), {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("\"sigma\""), std::string::npos);
  }
}

TEST(RegressionCalibrators, EachHasADocsPage) {
  std::string text;
  for (const auto& f :
       std::filesystem::directory_iterator(std::string(PLUMB_SOURCE_DIR) + "/docs/calibrators")) {
    std::ifstream in(f.path());
    std::stringstream s;
    s << in.rdbuf();
    text += s.str();
  }
  for (const auto& row : regression_calibrators())
    EXPECT_NE(text.find("`" + std::string(row.method) + "`"), std::string::npos) << row.method;
}

bool tells(const CalibrationModel& model, const std::string& of) {
  const auto& warnings = model.steps.front().fit.warnings;
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const auto& w) { return w.find(of) != std::string::npos; });
}

// A network on 60 calibrated predictions learns their noise; one factor corrects 2,000 that are too wide.
TEST(FitModel, AFitThatDoesHarmWarns) {
  const SimulatedRegression few = simulate({.n = 60}), many = simulate({.n = 2000, .factor = 2});
  EXPECT_TRUE(
      tells(fit_regression_model("aux", few.items(), {.hold_out = 0.0}), "On held-out folds it is worse"));
  EXPECT_FALSE(tells(fit_regression_model("sigma", many.items()), "held-out"));
  EXPECT_TRUE(tells(fit_regression_model("conformal", many.items()), "it gives intervals, not variances"));
}

// One item in a hundred has its variance in the aleatoric part, all others in the epistemic one: a factor of
// the aleatoric part alone makes the variances of the few a hundred times too large.
TEST(FitModel, VariancesFarTooLargeOnTheirOwnDataWarn) {
  RandomStream rng(3, Purpose::demo, 1);
  SimulatedRegression s;
  s.n = 4000;
  for (int i = 0; i < 4000; ++i) {
    const bool few = i % 100 == 0;
    s.mean.push_back(0);
    s.aleatoric.push_back(few ? 1 : 0.01);
    s.epistemic.push_back(few ? 0.01 : 0.9 + 0.2 * rng.uniform());
    s.target.push_back(std::sqrt(s.aleatoric.back() + s.epistemic.back()) * rng.normal());
  }
  const char* const words = "Even on the data it was fitted on it is worse than no calibration: uce";
  EXPECT_TRUE(tells(fit_regression_model("sigma-aleatoric", s.items()), words));
  EXPECT_FALSE(tells(fit_regression_model("sigma", s.items()), words));
}

}  // namespace
}  // namespace plumb::test
