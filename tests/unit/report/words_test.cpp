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

// The table of the sample with another outcome in its cells.
Result with_outcome(double y) {
  Result r = sample::labels();
  for (auto& row : r.tables[0].second.rows)
    if (std::holds_alternative<double>(row[6])) row[6] = y;
  return r;
}

TEST(Words, OverConfident) {
  EXPECT_TRUE(
      says(sample::labels(), "The model is over-confident: it says 97.6% and is right 93.6% of the time."))
      << everything(sample::labels());
}

TEST(Words, UnderConfidentAndRight) {
  EXPECT_TRUE(says(with_outcome(0.99),
                   "The model is under-confident: it says 97.6% and is right 99.0% of the time."));
  EXPECT_TRUE(
      says(with_outcome(0.978),
           "The model's confidence is right on average: it says 97.6% and is right 97.8% of the time."));
}

TEST(Words, WhatChanceMayHaveDoneIsNoVerdict) {
  Result few = with_outcome(0.94);  // 3.6 points off
  few.items = few.votes = 100;
  EXPECT_TRUE(
      says(few,
           "The confidence is right on average, as far as these items tell: it says 97.6% and is right "
           "94.0% of the time."));
  Result one = sample::binary();
  one.settings.emplace_back("bootstrap", std::int64_t{1});
  EXPECT_TRUE(
      says(one,
           "Its probabilities are off by 4.0 points on average (ECE); --bootstrap 1 is too few to tell "
           "whether that is chance."));
}

TEST(Words, SeveralRaters) {
  const Result r = sample::raters();
  EXPECT_TRUE(says(r, "The model is over-confident: it says 97.6%, and 93.6% of the votes agree."))
      << everything(r);
  EXPECT_TRUE(says(
      r,
      "With 5.1 votes per item, it matches the majority vote on 95.0% of items and 93.6% of single votes."));
  EXPECT_TRUE(says(r, "Scored on the majority label alone the ECE would read 0.0123 instead of 0.0400."));
  EXPECT_TRUE(says(r, "The votes got a probability of 77.9% (geometric mean; log-loss 0.2500)."));
}

TEST(Words, ChanceIsToldFromFault) {
  EXPECT_TRUE(says(
      sample::raters(),
      "Its probabilities are off by 4.0 points on average (ECE); a calibrated model would show 0.5 here by "
      "chance, so this is real (p = 0.005)."));
  EXPECT_TRUE(says(
      sample::binary(),
      "Its probabilities are off by 4.0 points on average (ECE); a calibrated model would show 3.5 here by "
      "chance, so this is no evidence against it (p = 0.31)."));
  EXPECT_TRUE(says(
      sample::labels(),
      "Its probabilities are off by 4.0 points on average (ECE); add --bootstrap 200 to see how much of that "
      "is chance."));
}

TEST(Words, BinaryNamesItsEvent) {
  Result r = sample::binary();
  EXPECT_TRUE(says(r, "The model forecasts too high: it expects class 1 in 97.6% of cases, and 93.6% are."))
      << everything(r);
  EXPECT_TRUE(says(r, "It ranks class 1 above class 0 in 91.2% of pairs (AUROC)."));
  r.class_names = {"well", "ill"};
  EXPECT_TRUE(says(r, "It ranks ill above well in 91.2% of pairs (AUROC)."));
}

TEST(Words, SlopeOnlyWhenItIsNotOne) {
  Result r = sample::binary();
  EXPECT_TRUE(says(r, "Its forecasts are too extreme: the calibration slope is 0.62, and 1 is right."));
  r.metrics[1].second.value = 1.4;
  EXPECT_TRUE(says(r, "Its forecasts are too timid: the calibration slope is 1.40, and 1 is right."));
  r.metrics[1].second.low = 0.9;
  r.metrics[1].second.high = 1.9;
  EXPECT_EQ(everything(r).find("slope"), std::string::npos) << "its interval holds 1";
}

TEST(Words, ScoresAgainstTheBaseRate) {
  Result r = sample::labels();
  EXPECT_TRUE(says(r,
                   "Its squared error is 88% smaller than that of always forecasting the class frequencies "
                   "(Brier 0.1054 against "
                   "0.9000)."));
  r.metrics[3].second.value = 0.99;
  EXPECT_NE(everything(r).find("10% larger"), std::string::npos) << everything(r);
}

TEST(Words, NamesTheWorstClassAmongThoseDefined) {
  EXPECT_TRUE(says(sample::labels(), "The class with the largest calibration error is dog (0.0300)."));
  Result r = sample::labels();
  r.per_class[0].second = {std::nullopt, std::nullopt, std::nullopt};
  EXPECT_EQ(everything(r).find("largest calibration"), std::string::npos);
}

TEST(Words, NothingToSayIsNothingSaid) { EXPECT_TRUE(plain_words(Result{}).empty()); }

}  // namespace
}  // namespace plumb
