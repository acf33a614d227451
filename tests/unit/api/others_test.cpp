// Regression, uncertainty, compare and stability through the public interface.
#include <gtest/gtest.h>

#include "plumb/plumb.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::VoteForm;

TEST(MakeRegressionItems, EqualsTheCoreBitForBit) {
  const std::vector<float> mean{1, 2, 3, 4}, targets{1.5F, 1, 3, 6};
  const std::vector<double> std_dev{1, 0.5, 2, 1};
  RegressionItems core;
  core.mean = {Rows(array_of(mean, {4}, "mean"))};
  core.targets = Rows(array_of(targets, {4}, "targets"));
  core.total = Rows(array_of(std_dev, {4}, "std"));
  core.total_is_std = true;
  const Result a = evaluate_regression(core, {.bootstrap = 20});
  const Result b =
      evaluate(make_regression_items({.mean = mean, .std = std_dev, .targets = targets}), {.bootstrap = 20});
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (const auto& [key, m] : a.metrics) {
    EXPECT_EQ(m.value, b[key].value) << key;
    EXPECT_EQ(m.low, b[key].low) << key;
  }
}

TEST(MakeRegressionItems, PartsAndPasses) {
  const std::vector<int> passes{1, 2, 3, 3, 2, 1}, y{2, 2, 2};  // S x N
  const RegressionItems stacked = make_regression_items(
      {.mean_samples = {passes, {2, 3}}, .variance_samples = {passes, {2, 3}}, .targets = y});
  EXPECT_EQ(stacked.passes(), 2);
  EXPECT_EQ(variances(stacked),
            (std::vector<double>{3, 2, 3}));  // mean of the variances and that of the means
  const RegressionItems parts =
      make_regression_items({.mean = y, .aleatoric = y, .epistemic = std::vector{1, 1, 1}, .targets = y});
  EXPECT_TRUE(parts.has_parts());
  EXPECT_EQ(variances(parts), (std::vector<double>{3, 3, 3}));
  const RegressionItems wide = make_regression_items({.mean = {passes, 2}, .variance = y});
  EXPECT_EQ(wide.outputs(), 2);
  EXPECT_EQ(variances(wide), (std::vector<double>{2, 2, 2, 2, 2, 2}));
}

TEST(MakeRegressionItems, Refuses) {
  const std::vector<double> x{1, 2, 3}, two{1, 2};
  const auto refuses = [](const RegressionColumns& c) {
    EXPECT_THROW((void)make_regression_items(c), InputError);
  };
  refuses({});
  refuses({.mean = x});
  refuses({.mean = x, .variance = x, .std = x});
  refuses({.mean = x, .mean_samples = {x, {1, 3}}, .variance = x});
  refuses({.mean = x, .variance = two});
  refuses({.mean = x, .variance = x, .targets = two});
  refuses({.mean = x, .variance = x, .targets = x, .errors = x});
  refuses({.mean = x, .variance = x, .targets = x, .groups = two});
  EXPECT_THROW((void)evaluate(make_regression_items({.mean = x, .variance = x})), InputError);  // no targets
  EXPECT_THROW((void)evaluate(make_regression_items({.variance = std::vector{1, -1, 1}, .errors = x})),
               InputError);
}

TEST(Uncertainty, BuiltInMeasuresAndYourOwn) {
  const Items items = test::to_items(test::simulate({.n = 500, .classes = 3}), VoteForm::labels);
  std::vector<float> own;
  for (std::int64_t i = 0; i < items.size(); ++i) own.push_back(static_cast<float>((i * 7) % 11));
  const UncertaintyOptions options{.bins = 20, .permutations = 10};
  const UncertaintyResult door = uncertainty(items, options, {{"mine", own}});
  const UncertaintyResult core = uncertainty(
      items, {{"mine", Rows(view_of(std::span<const float>(own), {500}, "mine"))}}, Names(), options);
  ASSERT_EQ(door.measures.size(), core.measures.size());
  for (const MeasureResult& m : core.measures) {
    EXPECT_EQ(door[m.name].why, m.why);
    if (!m.why.empty()) continue;
    EXPECT_EQ(door[m.name]["eor"].value, m["eor"].value) << m.name;
  }
  EXPECT_TRUE(door["mine"]["eor"].value);
  EXPECT_THROW((void)door["yours"], InputError);
  EXPECT_THROW((void)door["mine"]["eror"], InputError);
  EXPECT_THROW((void)uncertainty(items, {}, {{"mine", std::vector{1.0}}}), InputError);
}

TEST(Compare, ByNameAndKey) {
  const auto sharp = test::simulate({.n = 300, .classes = 3, .sharpen = 3});
  const Items items = test::to_items(sharp, VoteForm::labels);
  const Comparison c = compare({{"raw", items}, {"scaled", fit("temperature", items).apply(items)}},
                               {.metrics = {"ece", "nll"}, .bootstrap = 50});
  EXPECT_EQ(c["nll"].best, 1u);
  EXPECT_TRUE(c["nll"].differences.front().p_value);
  EXPECT_THROW((void)c["nlll"], InputError);
  EXPECT_THROW((void)compare({{"raw", items}}), InputError);  // alone
}

TEST(StabilityOf, ThroughTheDoor) {
  const Items items = test::to_items(test::simulate({.n = 200, .classes = 2, .raters = 3}), VoteForm::counts);
  const Stability s = stability(items, {.repeats = 5});
  EXPECT_EQ(s.estimators.front().key, "ece");
}

TEST(Text, JsonAndTable) {
  const Items items = make_items({.probs = std::vector{0.25, 0.75}, .labels = std::vector{0, 1}});
  const Result r = evaluate(items, {.metrics = {"ece"}});
  EXPECT_NE(to_json(r).find("\"ece\""), std::string::npos);
  EXPECT_NE(to_text(r).find("ece"), std::string::npos);
  const Result g = evaluate(make_regression_items(
      {.mean = std::vector{1, 2}, .variance = std::vector{1, 1}, .targets = std::vector{1, 3}}));
  EXPECT_NE(to_text(g).find("nll"), std::string::npos);
}

}  // namespace
}  // namespace plumb
