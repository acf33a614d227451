#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/report/terminal.hpp"
#include "unit/report/sample_results.hpp"

namespace plumb {
namespace {

bool says(const Result& r, const std::string& sentence) {
  const auto all = plain_words(r, kFlag);
  return std::find(all.begin(), all.end(), sentence) != all.end();
}

std::string everything(const Result& r) {
  std::string out;
  for (const auto& s : plain_words(r)) out += s + "\n";
  return out;
}

bool mentions(const Result& r, const std::string& part) {
  return everything(r).find(part) != std::string::npos;
}

MetricResult& metric(Result& r, const std::string& key) {
  for (auto& [name, m] : r.metrics)
    if (name == key) return m;
  r.metrics.emplace_back(key, MetricResult{});
  return r.metrics.back().second;
}

TEST(Words, TheMeanIsNoVerdictWithoutAPValue) {
  EXPECT_TRUE(says(sample::labels(), "The mean confidence is 97.6%, and the accuracy is 93.6%."))
      << everything(sample::labels());
  for (const char* claim : {"over-confident", "under-confident", "too high", "too low", "right on average"})
    EXPECT_FALSE(mentions(sample::labels(), claim)) << claim;
}

TEST(Words, TooHighNeedsAPValueThatKnowsOfGroups) {
  Result r = sample::raters();
  EXPECT_TRUE(says(
      r,
      "The model is over-confident on average: the mean confidence is 97.6%, and 93.6% of the votes agree with the prediction (p <= 0.005)."))
      << everything(r);
  metric(r, "mean_gap").p_value = 0.2;
  EXPECT_TRUE(says(
      r,
      "The mean confidence is 97.6%, and 93.6% of the votes agree with the prediction; chance may explain the difference (p = 0.2)."))
      << everything(r);
  Result ill = sample::binary();
  ill.class_names = {"well", "ill"};
  metric(ill, "mean_gap").p_value = 0.01;
  ill.verdict.p_value = 0.02;
  EXPECT_TRUE(says(
      ill,
      "The forecasts are too high on average: the mean forecast of ill is 97.6%, and 93.6% of the labels are ill (p = 0.01)."))
      << everything(ill);
}

TEST(Words, OneTestThatRejectsIsNoProofWhereAllTogetherDoNot) {
  Result r = sample::raters();
  r.verdict.p_value = 0.12;
  EXPECT_TRUE(says(
      r,
      "The mean confidence is 97.6%, and 93.6% of the votes agree with the prediction; this difference alone has p <= 0.005, but the tests of calibration together do not reject (p = 0.12)."))
      << everything(r);
}

TEST(Words, MeansThatDifferAreToldApart) {
  Result r = sample::binary();
  for (auto& row : r.tables[0].second.rows)
    if (std::holds_alternative<double>(row[6])) {
      row[5] = 0.30004;
      row[6] = 0.30001;
    }
  metric(r, "mean_gap").p_value = 0.001;
  r.verdict.p_value = 0.001;
  EXPECT_TRUE(mentions(r, "is 30.004%, and 30.001% of")) << everything(r);
}

TEST(Words, ReplicatesTooFewForAnyPValueSayNothing) {
  Result r = sample::raters();
  for (auto& [key, value] : r.settings)
    if (key == "bootstrap") value = std::int64_t{10};
  metric(r, "mean_gap").p_value = 1.0 / 11;
  EXPECT_TRUE(says(r, "The mean confidence is 97.6%, and 93.6% of the votes agree with the prediction."))
      << everything(r);
}

TEST(Words, RareEventsKeepTheirDigits) {
  Result r = sample::binary();
  for (auto& row : r.tables[0].second.rows)
    if (std::holds_alternative<double>(row[6])) {
      row[5] = 0.005;
      row[6] = 0.001;
    }
  metric(r, "mean_gap").p_value = 0.001;
  r.verdict.p_value = 0.02;
  EXPECT_TRUE(
      mentions(r, "too high on average: the mean forecast of class 1 is 0.5%, and 0.1% of the labels"))
      << everything(r);
}

TEST(Words, WhatTheToleranceAllowsIsSaidToBeSo) {
  Result r = sample::raters();
  r.verdict.verdict = "trustworthy";
  EXPECT_TRUE(mentions(r, "The model is over-confident on average, though within the tolerance:"))
      << everything(r);
}

TEST(Words, SeveralRaters) {
  const Result r = sample::raters();
  EXPECT_TRUE(says(
      r,
      "With 5.1 votes per item, the model agrees with the majority vote on 95.0% of the items and with 93.6% of the single votes."))
      << everything(r);
  EXPECT_TRUE(says(r, "Scored against the majority vote alone, the ECE would be 0.0123 instead of 0.0400."));
  EXPECT_TRUE(says(
      r,
      "The model gives a probability of 77.9% to the class that a rater chose (geometric mean; log-loss 0.2500)."));
}

TEST(Words, TheErrorAndWhatChanceWouldShow) {
  EXPECT_TRUE(says(
      sample::binary(),
      "Forecasts and frequencies differ by 4.0 points on average over the bins (ECE); a calibrated model would show 3.5 points by chance."));
  EXPECT_TRUE(says(sample::labels(),
                   "Forecasts and frequencies differ by 4.0 points on average over the bins (ECE)."));
}

TEST(Words, BinaryNamesItsEvent) {
  Result r = sample::binary();
  EXPECT_TRUE(says(r, "The model ranks class 1 above class 0 in 91.2% of pairs (AUROC)."));
  r.class_names = {"well", "ill"};
  EXPECT_TRUE(says(r, "The model ranks ill above well in 91.2% of pairs (AUROC)."));
}

TEST(Words, SlopeOnlyWhenItsIntervalExcludesOneAndTheOmnibusTestRejects) {
  Result r = sample::binary();
  EXPECT_FALSE(mentions(r, "slope")) << "p = 0.31";
  r.verdict.p_value = 0.01;
  EXPECT_TRUE(says(
      r,
      "The forecasts are too extreme: the calibration slope is 0.62 (95% interval 0.5 to 0.76); a calibrated model has 1."))
      << everything(r);
  Result few = r;
  few.items = few.votes = 20;
  EXPECT_FALSE(mentions(few, "slope")) << "20 votes have fewer than 30 of the rarer outcome";
  metric(r, "calibration_slope") = {.value = 1.4, .low = 1.1, .high = 1.9};
  EXPECT_TRUE(mentions(r, "The forecasts are not extreme enough: the calibration slope is 1.4 "));
  metric(r, "calibration_slope").low = 0.9;
  EXPECT_FALSE(mentions(r, "slope")) << "its interval holds 1";
  metric(r, "calibration_slope") = {.value = 0.1};
  EXPECT_FALSE(mentions(r, "slope")) << "it has no interval, however many items there are";
}

TEST(Words, ScoresAgainstTheBaseRate) {
  Result r = sample::labels();
  EXPECT_TRUE(says(
      r,
      "The Brier score is 88% lower than that of always forecasting the class frequencies (0.1054 against 0.9000)."));
  metric(r, "brier").value = 0.99;
  EXPECT_TRUE(mentions(r, "10% higher")) << everything(r);
}

TEST(Words, NamesTheWorstClassAmongThoseDefined) {
  EXPECT_TRUE(says(sample::labels(), "The class with the largest calibration error is dog (ECE 0.0300)."));
  Result r = sample::labels();
  r.per_class[0].second = {std::nullopt, std::nullopt, std::nullopt};
  EXPECT_FALSE(mentions(r, "largest calibration"));
}

TEST(Words, AccuracyBelowGuessingPointsToTheOrderOfClasses) {
  Result r = sample::labels();
  EXPECT_FALSE(mentions(r, "guessing"));
  metric(r, "accuracy").value = 0.06;
  EXPECT_TRUE(says(
      r,
      "The accuracy of 6.0% is below the 33.3% of guessing: check that the columns of the predictions are in the order of the class labels."))
      << everything(r);
  metric(r, "accuracy") = {.value = 0.30, .low = 0.2, .high = 0.4};
  EXPECT_FALSE(mentions(r, "guessing")) << "its interval holds the accuracy of guessing";
}

TEST(Words, NothingToSayIsNothingSaid) {
  EXPECT_TRUE(plain_words(Result{}).empty());
  EXPECT_EQ(verdict_sentence(Result{}), "");
}

}  // namespace
}  // namespace plumb
