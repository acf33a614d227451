// The standalone header against the library.
#include "plumb/apply.hpp"

#include <gtest/gtest.h>

#include "plumb/calibrate/alpha.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

// The C library's exp and log are within an ulp or two of the portable ones;
// a softmax and a matrix carry that along.
constexpr double kAgree = 1e-12;

CalibrationModel model_of(std::vector<Step> steps, int classes) {
  return {classes == 2 ? "binary" : "multiclass", classes, {}, "logits", std::move(steps), "0", {}};
}

void expect_same(const CalibrationModel& model, const Predictions& predictions, apply::Input scale,
                 const std::string& what) {
  const auto calibrate = apply::Calibrator::parse(model_text(model));
  PredictionBlock z;
  Pipeline(model).apply(predictions, 0, predictions.items(), z);
  const auto width = static_cast<std::size_t>(predictions.width());
  std::vector<double> rows(z.z.size()), out(width);
  predictions.sources().front().read(0, predictions.items(), rows);
  for (std::size_t i = 0; i < rows.size(); i += width) {
    calibrate(std::span(rows).subspan(i, width), scale, out);
    for (std::size_t k = 0; k < width; ++k)
      ASSERT_NEAR(out[k], z.z[i + k], kAgree) << what << ", item " << i / width;
  }
}

TEST(Apply, AgreesWithTheLibraryForEveryMethod) {
  for (const CalibratorRow& row : calibrators())
    for (const int classes : {2, 3, 10}) {
      if (!row.serves(classes)) continue;
      const Items items = some::simulate(120, classes, 3, 31).items();
      const CalibrationModel model = model_of(fit_calibrator(row.method, items, {}), classes);
      expect_same(model, items.predictions, apply::Input::logits, std::string(row.method));
      PredictionBlock z;
      items.predictions.read(0, items.size(), z);
      const Predictions probabilities({Rows(array_of(z.z, some::simulate(120, classes, 3, 31).shape(), "z"))},
                                      Scale::probability);
      expect_same(model, probabilities, apply::Input::probabilities, std::string(row.method));
    }
}

TEST(Apply, RunsAPipelineAndKnowsAlpha) {
  const Items items = some::simulate(150, 3, 5, 32).items();
  CalibrationModel model = model_of({some::fit("temperature", items, {})}, 3);
  const Items warm = calibrated(items, model, 1);
  model.steps.push_back(some::fit("isotonic", warm, {}));
  const Items warmer = calibrated(items, model, 1);
  FitOptions o;
  std::vector<double> u;
  for (int i = 0; i < 300; ++i) u.push_back(0.01 * (i % 37));
  o.features = Rows(array_of(u, {150, 2}, "u"));
  model.steps.push_back(some::fit("alpha", warmer, o));
  expect_same(model, items.predictions, apply::Input::logits, "pipeline");
  const auto calibrate = apply::Calibrator::parse(model_text(model));
  std::vector<double> alpha(1);
  alpha_concentration(model.steps.back(), o.features, 4, 5, alpha);
  EXPECT_NEAR(calibrate.concentration(std::span(u).subspan(8, 2)) / alpha[0], 1, kAgree);
  EXPECT_THROW((void)calibrate.concentration(), apply::Error);
}

TEST(Apply, TwoColumnsOfABinaryTask) {
  const Items items = some::simulate(60, 2, 3, 33).items();
  const auto calibrate = apply::Calibrator::parse(model_text(model_of({some::fit("platt", items, {})}, 2)));
  const std::vector<double> one{0.8}, two{1.1, 1.9};
  std::vector<double> a(1), b(2);
  calibrate(one, apply::Input::logits, a);
  calibrate(two, apply::Input::logits, b);
  EXPECT_NEAR(a[0], b[1], 1e-15);
  EXPECT_NEAR(b[0] + b[1], 1, 1e-15);
}

TEST(Apply, RefusesBadFilesAndRows) {
  const Items items = some::simulate(60, 3, 3, 34).items();
  const std::string text = model_text(model_of({some::fit("isotonic", items, {})}, 3));
  for (std::size_t cut = 0; cut + 1 < text.size(); cut += 11)
    EXPECT_THROW((void)apply::Calibrator::parse(std::string_view(text).substr(0, cut)), apply::Error) << cut;
  for (std::size_t i = 0; i < text.size(); i += 5) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_THROW((void)apply::Calibrator::parse(bad), apply::Error) << i;
  }
  EXPECT_THROW((void)apply::Calibrator::parse(std::string(1000, '[')), apply::Error);
  EXPECT_THROW((void)apply::Calibrator::load("no/such/file.json"), apply::Error);
  const auto calibrate = apply::Calibrator::parse(text);
  std::vector<double> four(4, 0.25), three(3);
  EXPECT_THROW(calibrate(four, apply::Input::logits, four), apply::Error);
  EXPECT_THROW(calibrate(four, apply::Input::logits, three), apply::Error);
}

TEST(Apply, GivesProbabilitiesOrThrows) {
  Step huge{"vector"};
  huge.add_parameter("v", std::vector<double>{1e308, 1e308, 1e308});
  huge.add_parameter("b", std::vector<double>{0, 0, 0});
  const auto calibrate = apply::Calibrator::parse(model_text(model_of({huge}, 3)));
  std::vector<double> row{3, 2, 1};  // infinite logits, whose softmax is not a number
  EXPECT_THROW(calibrate(row, apply::Input::logits, row), apply::Error);
}

}  // namespace
}  // namespace plumb
