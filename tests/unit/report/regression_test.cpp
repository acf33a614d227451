#include "plumb/report/regression.hpp"

#include <gtest/gtest.h>

namespace plumb::test {
namespace {

Result sample(double coverage, double zms) {
  Result r;
  r.task = "regression";
  r.items = 12345;
  r.settings = {{"outputs", std::int64_t{2}}, {"level", 0.95}};
  const auto metric = [](double value) {
    MetricResult m;
    m.value = value;
    return m;
  };
  r.metrics = {{"mse", metric(0.04)},
               {"zms", metric(zms)},
               {"coverage_90", metric(coverage)},
               {"sharpness", metric(0.1)}};
  return r;
}

std::string first_words(double coverage, double zms) {
  return regression_words(sample(coverage, zms)).front();
}

TEST(RegressionWords, CoverageAndTheFactor) {
  EXPECT_EQ(first_words(0.52, 3.1),
            "The 90% intervals hold 52% of the targets: the variance is too small by a factor of 3.1.");
  EXPECT_EQ(first_words(0.984, 0.25),
            "The 90% intervals hold 98% of the targets: the variance is too large by a factor of 4.");
  EXPECT_EQ(
      first_words(0.901, 1.01),
      "The 90% intervals hold 90.1% of the targets, as they should, and the variance is right on average.");
}

TEST(RegressionWords, CoverageAndZScoresMayDisagree) {
  EXPECT_NE(first_words(0.96, 1.5).find("a few large errors are not foreseen"), std::string::npos);
  EXPECT_NE(first_words(0.8, 0.7).find("too large for some items and too small for others"),
            std::string::npos);
  EXPECT_NE(first_words(0.9, 1.3).find("the mean squared z-score is 1.30 instead of 1"), std::string::npos);
}

TEST(RegressionWords, RejectionShiftAndSlices) {
  Result r = sample(0.9, 1);
  Table t{{"threshold", "rejected", "kept", "mse", "falls"}, {}};
  for (int k = 0; k < 5; ++k) t.rows.push_back({1.0, 0.1 * k, std::int64_t{10}, 0.04 * (1 - 0.2 * k), true});
  r.tables.emplace_back("rejection", t);
  r.sections.emplace_back("shift", Tree::Members{{"auroc", 0.83}});
  r.per_group = {{"a", 10, 0, {{"coverage_90", 0.7}}}, {"b", 10, 0, {{"coverage_90", 0.91}}}};
  const auto words = regression_words(r);
  ASSERT_EQ(words.size(), 5u);
  EXPECT_EQ(words[1], "The root mean squared error is 0.2; the variances foresee 0.1.");
  EXPECT_EQ(words[2],
            "Setting aside the least certain 20% of the items lowers the mean squared error by 40% (from "
            "0.04 to 0.024).");
  EXPECT_NE(words[3].find("less sure here than on the reference set"), std::string::npos);
  EXPECT_EQ(words[4], "Coverage is furthest off in slice a: the 90% intervals hold 70% of its targets.");
}

TEST(RenderRegression, TableAndWhatIsUndefined) {
  Result r = sample(0.5, 2);
  MetricResult none;
  none.why = "some prediction has variance 0";
  r.metrics.emplace_back("pit_ks", none);
  const std::string text = render_terminal(r, {});
  EXPECT_EQ(text, render_regression(r, {}));
  EXPECT_NE(text.find("12,345 items, 2 outputs"), std::string::npos);
  EXPECT_NE(text.find("Not defined here\n  pit_ks: some prediction has variance 0"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace plumb::test
