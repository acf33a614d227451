#include "plumb/calibrate/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

CalibrationModel sample() {
  CalibrationModel m;
  m.task = "multiclass";
  m.classes = 3;
  m.class_names = {"a \"quoted\" name", "b", "\xc3\xbc"};
  m.input = "logits";
  m.version = "0.1.0";
  m.fitted_on = {"abc"};
  Step s;
  s.method = "vector";
  s.add_parameter("v", std::vector<double>{0.1, 1.0 / 3, 5e-324});
  s.add_parameter("b", std::vector<double>{-0.0, 1.7976931348623157e308, 2});
  s.add_parameter("W", {2, 2}, {1, 2, 3, 4});
  s.add_parameter("T", 0.1 + 0.2);
  s.add_parameter("none", std::vector<double>{});
  s.fit.objective = 0.7;
  s.fit.iterations = 3;
  s.fit.items = 10;
  s.fit.options = {{"lambda", 0.1},
                   {"tuned", true},
                   {"folds", std::int64_t{5}},
                   {"how", std::string("x")},
                   {"nothing", Value{}}};
  s.fit.warnings = {"One sentence."};
  m.steps = {s};
  return m;
}

std::string complaint(const std::string& text) {
  try {
    (void)parse_model(text, "m.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Model, ReadsBackExactly) {
  const CalibrationModel m = sample();
  const CalibrationModel r = parse_model(model_text(m), "m.json");
  EXPECT_EQ(r.task, m.task);
  EXPECT_EQ(r.class_names, m.class_names);
  EXPECT_EQ(r.fitted_on, m.fitted_on);
  ASSERT_EQ(r.steps.size(), 1u);
  EXPECT_EQ(r.steps[0].parameters, m.steps[0].parameters);
  EXPECT_TRUE(std::signbit(r.steps[0].parameters[1].values[0]));
  EXPECT_EQ(r.steps[0].fit.options, m.steps[0].fit.options);
  EXPECT_EQ(r.steps[0].fit.warnings, m.steps[0].fit.warnings);
  EXPECT_EQ(model_text(r), model_text(m));
}

TEST(Model, EveryMethodSurvivesTheFile) {
  for (const CalibratorRow& row : calibrators())
    for (const int classes : {2, 3}) {
      if (!row.serves(classes)) continue;
      const Items items = some::simulate(80, classes, 3, 2).items();
      CalibrationModel m{classes == 2 ? "binary" : "multiclass", classes, {}, "logits",
                         fit_calibrator(row.method, items, {}),  "0",     {}};
      const CalibrationModel r = parse_model(model_text(m), "m.json");
      PredictionBlock a, b;
      Pipeline(m).apply(items.predictions, 0, items.size(), a);
      Pipeline(r).apply(items.predictions, 0, items.size(), b);
      EXPECT_EQ(a.z, b.z) << row.method;
    }
}

TEST(Model, RefusesWhatIsTorn) {
  const std::string text = model_text(sample());
  for (std::size_t cut = 0; cut < text.size() - 1; cut += 7)
    EXPECT_NE(complaint(text.substr(0, cut)), "") << cut;
  EXPECT_NE(complaint(text.substr(0, text.size() / 2)).find("truncated"), std::string::npos);
}

TEST(Model, RefusesEveryChangedByte) {
  const std::string text = model_text(sample());
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    const std::string what = complaint(bad);
    EXPECT_NE(what.find("m.json"), std::string::npos) << i;
    EXPECT_EQ(what.find('\n'), std::string::npos) << i;
  }
}

TEST(Model, RefusesWhatIsForeignOrOfTheFuture) {
  EXPECT_NE(complaint("GIF89a").find("not JSON"), std::string::npos);
  EXPECT_NE(complaint("{}").find("not a calibrator"), std::string::npos);
  EXPECT_NE(complaint("[1, 2]").find("not a calibrator"), std::string::npos);
  EXPECT_NE(complaint("").find("m.json"), std::string::npos);
  EXPECT_NE(complaint("{\"kind\": \"plumb calibrator\", \"format\": 2}").find("newer"), std::string::npos);
  EXPECT_NE(complaint("{\"kind\": \"plumb calibrator\"}").find("format"), std::string::npos);
  EXPECT_NE(complaint(std::string(100000, '[')).find("m.json"), std::string::npos);
}

TEST(Model, NoValueThatIsNotFiniteIsWritten) {
  CalibrationModel m = sample();
  m.steps[0].parameters[0].values[0] = std::nan("");
  EXPECT_THROW((void)model_text(m), std::logic_error);
}

}  // namespace
}  // namespace plumb
