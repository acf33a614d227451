// What every method of the table promises, one after the other.
#include "plumb/calibrate/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

// Fits reach the same optimum on different paths; probabilities then differ by rounding and by what is left
// of the gradient.
constexpr double kSameFit = 1e-9;

std::vector<double> probabilities(const std::vector<Step>& steps, const Items& items) {
  CalibrationModel model;
  model.classes = items.classes();
  model.steps = steps;
  PredictionBlock out;
  Pipeline(model).apply(items.predictions, 0, items.size(), out);
  return out.z;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

class EveryMethod : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  [[nodiscard]] std::string method() const { return std::get<0>(GetParam()); }
  [[nodiscard]] int classes() const { return std::get<1>(GetParam()); }
  [[nodiscard]] some::Data data() const { return some::simulate(120, classes(), 4, 7); }
};

TEST_P(EveryMethod, GivesProbabilitiesOfEveryItem) {
  const Items items = data().items();
  const auto z = probabilities(fit_calibrator(method(), items, {}), items);
  const auto width = static_cast<std::size_t>(items.predictions.width());
  for (std::size_t i = 0; i < z.size(); i += width) {
    double sum = 0;
    for (std::size_t k = 0; k < width; ++k) {
      ASSERT_TRUE(z[i + k] >= 0 && z[i + k] <= 1) << z[i + k];
      sum += z[i + k];
    }
    if (width > 1) {
      ASSERT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST_P(EveryMethod, IsTheSameForAnyThreads) {
  const Items items = some::simulate(method() == "auto" ? 300 : 5000, classes(), 2, 3).items();
  FitOptions one, many;
  one.threads = 1;
  many.threads = 5;
  const auto a = fit_calibrator(method(), items, one), b = fit_calibrator(method(), items, many);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t s = 0; s < a.size(); ++s) EXPECT_EQ(a[s].parameters, b[s].parameters);
}

/// Their targets are made from all votes of an item together.
bool has_own_targets(const std::string& method) {
  return method == "dirichlet-soft" || method.starts_with("temperature-");
}

TEST_P(EveryMethod, WeightTwoIsTheRowTwice) {
  if (method() == "temperature-drawn") GTEST_SKIP() << "another row draws another vote";
  const some::Data d = data();
  some::Data twice = d;
  std::vector<double> weights;
  for (std::int64_t i = 0; i < d.n; ++i) {
    weights.push_back(i % 3 == 0 ? 2 : 1);
    if (i % 3 == 0) twice.take(d, i, d.votes(i));
  }
  Items weighted = d.items();
  weighted.weights = Rows(array_of(weights, {d.n}, "weights"));
  const auto a = probabilities(fit_calibrator(method(), weighted, {}), weighted);
  const auto b = probabilities(fit_calibrator(method(), twice.items(), {}), weighted);
  EXPECT_LE(largest_difference(a, b), kSameFit);
}

TEST_P(EveryMethod, CountsAreTheirSingleLabels) {
  if (method() == "alpha") GTEST_SKIP() << "one vote says nothing about alpha_0";
  if (has_own_targets(method())) GTEST_SKIP() << "an item counts once, however many votes it has";
  const some::Data d = data();
  some::Data single;
  single.classes = d.classes;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const auto votes = d.votes(i);
    for (std::size_t k = 0; k < votes.size(); ++k)
      for (std::int64_t v = 0; v < votes[k]; ++v) {
        std::vector<std::int64_t> one(votes.size(), 0);
        one[k] = 1;
        single.take(d, i, one);
      }
  }
  const Items items = d.items();
  const auto a = probabilities(fit_calibrator(method(), items, {}), items);
  const auto b = probabilities(fit_calibrator(method(), single.items(), {}), items);
  EXPECT_LE(largest_difference(a, b), kSameFit);
}

TEST_P(EveryMethod, ReportsItsFit) {
  const Items items = data().items();
  for (const Step& s : fit_calibrator(method(), items, {})) {
    EXPECT_TRUE(s.fit.converged) << s.method;
    EXPECT_LE(s.fit.gradient_norm, 1e-6) << s.method;
    if (s.method != "alpha" && s.method != "none") {
      EXPECT_EQ(s.fit.items, items.size()) << s.method;
    }
  }
}

std::vector<std::tuple<std::string, int>> all_methods() {
  std::vector<std::tuple<std::string, int>> out;
  for (const CalibratorRow& row : calibrators()) {
    if (row.serves(2)) out.emplace_back(row.method, 2);
    if (row.serves(4)) out.emplace_back(row.method, 4);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMethod, testing::ValuesIn(all_methods()), [](const auto& one) {
  std::string name = std::get<0>(one.param) + (std::get<1>(one.param) == 2 ? "_binary" : "_multiclass");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

std::string complaint(const std::string& method, const Items& items) {
  try {
    (void)fit_calibrator(method, items, {});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Fit, EveryRowIsWhole) {
  for (const CalibratorRow& row : calibrators()) {
    EXPECT_NE(row.fit, nullptr) << row.method;
    EXPECT_EQ(row.map != nullptr, row.method != "auto") << row.method;
    EXPECT_EQ(row.onnx != nullptr, row.method != "auto") << row.method;
    EXPECT_TRUE(row.serves(2) || row.serves(3)) << row.method;
    EXPECT_FALSE(row.line.empty()) << row.method;
  }
}

std::string refusal(std::string_view method, const FitOptions& options) {
  try {
    check_fit_options(method, options);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Fit, AnOptionThatAMethodDoesNotUseIsRefused) {
  EXPECT_EQ(
      refusal("temperature", {.lambda_b = 1}),
      ".lambda_b has no effect on the method temperature; it is for vector, matrix, dirichlet, dirichlet-soft");
  EXPECT_EQ(refusal("vector", {.bins = 5}),
            ".bins has no effect on the method vector; it is for histogram, auto");
  EXPECT_EQ(refusal("matrix", {.folds = 5}), ".folds has no effect on the method matrix without .tune");
  EXPECT_EQ(refusal("matrix", {.tune = true, .folds = 1}), ".folds must be between 2 and 1000, not 1");
  EXPECT_EQ(refusal("matrix", {.lambda_w = 1, .tune = true, .folds = 5}), "");
  EXPECT_EQ(refusal("spline", {.folds = 5}), "");
  EXPECT_EQ(refusal("alpha", {.lambda = 1, .weight_votes = true}), "");
  EXPECT_THROW((void)fit_calibrator("platt", some::simulate(50, 2, 3, 1).items(), {.tune = true}),
               InputError);
}

TEST(Fit, SaysWhatItCannotFit) {
  const Items two = some::simulate(50, 2, 3, 1).items(), three = some::simulate(50, 3, 3, 1).items();
  EXPECT_NE(complaint("temprature", three).find("temperature"), std::string::npos);
  EXPECT_NE(complaint("vector", two).find("platt"), std::string::npos);
  EXPECT_NE(complaint("platt", three).find("binary"), std::string::npos);
  Items none = three;
  none.votes = Votes();
  EXPECT_NE(complaint("temperature", none).find("votes"), std::string::npos);
  Items empty = three;
  empty.votes =
      Votes::from_counts(Rows(array_of(std::vector<std::int64_t>(150, 0), {50, 3}, "zeros.npy")), 3);
  EXPECT_NE(complaint("isotonic", empty).find("zeros.npy"), std::string::npos);
  Items weightless = three;
  weightless.weights = Rows(array_of(std::vector<double>(50, 0.0), {50}, "w.npy"));
  EXPECT_NE(complaint("temperature", weightless).find("w.npy"), std::string::npos);
}

}  // namespace
}  // namespace plumb
