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

std::string words_of(const Result& r) {
  std::string out;
  for (const std::string& s : regression_words(r)) out += s + "\n";
  return out;
}

Result with_intervals(double low, double zms, double high, double coverage) {
  Result r = sample(coverage, zms);
  for (auto& [key, m] : r.metrics) {
    if (key == "zms") m.low = low, m.high = high;
    if (key == "coverage_90") m.low = coverage - 0.02, m.high = coverage + 0.02;
  }
  return r;
}

TEST(RegressionWords, WithoutAnIntervalNothingIsClaimed) {
  EXPECT_EQ(
      words_of(sample(0.52, 3.1)),
      "The 90% intervals contain 52% of the targets.\nThe mean squared z-score is 3.1; it is 1 for calibrated variances.\n"
      "The root mean squared error is 0.2; the predicted variances imply 0.1.\n");
}

TEST(RegressionWords, TheFactorComesWithItsInterval) {
  EXPECT_NE(words_of(with_intervals(2.8, 3.1, 3.5, 0.52))
                .find("The variances are too small by a factor of about 3.1 (95% interval 2.8 to 3.5).\n"),
            std::string::npos);
  EXPECT_NE(words_of(with_intervals(0.2, 0.25, 0.4, 0.98))
                .find("The variances are too large by a factor of about 4 (95% interval 2.5 to 5).\n"),
            std::string::npos);
  EXPECT_NE(words_of(with_intervals(0.9, 1.01, 1.1, 0.9))
                .find("The mean squared z-score is 1.01; it is 1 for calibrated variances."),
            std::string::npos)
      << "its interval holds 1";
  Result r = with_intervals(1.01, 1.03, 1.05, 0.9);
  r.verdict.verdict = "trustworthy";
  EXPECT_NE(words_of(r).find("which is within the tolerance"), std::string::npos);
}

TEST(RegressionWords, CoverageAndZScoresMayDisagree) {
  EXPECT_NE(words_of(with_intervals(1.3, 1.5, 1.7, 0.96)).find("Few errors are much larger than predicted"),
            std::string::npos);
  EXPECT_NE(
      words_of(with_intervals(0.6, 0.7, 0.8, 0.8)).find("too large for some items and too small for others"),
      std::string::npos);
}

TEST(RegressionWords, RejectionShiftAndSlices) {
  Result r = sample(0.9, 1);
  Table t{{"threshold", "rejected", "kept", "mse", "falls"}, {}};
  for (int k = 0; k < 5; ++k) t.rows.push_back({1.0, 0.1 * k, std::int64_t{10}, 0.04 * (1 - 0.2 * k), true});
  r.tables.emplace_back("rejection", t);
  r.sections.emplace_back("shift", Tree::Members{{"auroc", 0.83}});
  r.per_group = {{"a", 10, 0, {{"coverage_90", 0.7}}}, {"b", 10, 0, {{"coverage_90", 0.91}}}};
  const auto words = regression_words(r);
  ASSERT_EQ(words.size(), 6u);
  EXPECT_EQ(words[2], "The root mean squared error is 0.2; the predicted variances imply 0.1.");
  EXPECT_EQ(
      words[3],
      "Leaving out the least certain 20% of the items lowers the mean squared error by 40% (from 0.04 to 0.024).");
  EXPECT_NE(words[4].find("less certain here than on the reference set"), std::string::npos);
  EXPECT_EQ(words[5], "Of the slices, a is furthest from 90%: its intervals contain 70% of 10 targets.");
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
