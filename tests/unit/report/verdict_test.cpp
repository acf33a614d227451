// The words of a verdict, and the advice after it.
#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/report/html.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/terminal.hpp"
#include "report/next_step.hpp"
#include "report/rounded.hpp"
#include "report/runs.hpp"
#include "report/verdict_words.hpp"
#include "unit/report/sample_results.hpp"

namespace plumb {
namespace {

Result judged(const std::string& verdict, double estimate, double low, double high) {
  Result r = sample::labels();
  r.settings.emplace_back("bootstrap", std::int64_t{100});
  r.verdict.verdict = verdict;
  r.verdict.tolerance = 0.05;
  r.verdict.estimate = estimate;
  r.verdict.low = low;
  r.verdict.high = high;
  r.verdict.unit = "items";
  return r;
}

TEST(Verdict, Trustworthy) {
  EXPECT_EQ(verdict_sentence(judged("trustworthy", 0.011, 0, 0.0312)),
            "Trustworthy: the ECE is at most 0.032 with 95% confidence, below the tolerance of 0.05.");
}

TEST(Verdict, OffAndClearlyOff) {
  Result r = judged("off", 0.0812, 0.041, 0.102);
  r.verdict.p_value = 1.0 / 101;
  EXPECT_EQ(
      verdict_sentence(r),
      "Off: the ECE is about 0.081 (95% interval 0.041 to 0.102), above the tolerance of 0.05, and more than chance explains (p <= 0.0099).");
  r.verdict.certain = true;
  EXPECT_EQ(verdict_sentence(r).substr(0, 12), "Clearly off:");
}

TEST(Verdict, CannotTellNamesTheItemsOrWhyNot) {
  Result r = judged("cannot tell", 0.02, 0, 0.11);
  r.verdict.needed = 1900;
  EXPECT_EQ(
      verdict_sentence(r),
      "Cannot tell: the ECE may be as large as 0.11, above the tolerance of 0.05; about 1,900 items would settle it for a calibrated model.");
  r.verdict.unit = "groups";
  EXPECT_NE(verdict_sentence(r).find("about 1,900 groups"), std::string::npos);
  EXPECT_EQ(
      verdict_sentence(judged("cannot tell", 0.049, 0.02, 0.07)),
      "Cannot tell: the ECE is about 0.049 (95% interval 0.02 to 0.07), too close to the tolerance of 0.05.");
  EXPECT_EQ(
      verdict_sentence(judged("cannot tell", 0.2, 0.0, 0.4)),
      "Cannot tell: the ECE is about 0.2 (95% interval 0 to 0.4), but so few items could show that by chance.");
}

TEST(Verdict, TooFewReplicatesOrUnitsGiveTheirOwnReason) {
  Result r = judged("cannot tell", 0.2, 0.1, 0.4);
  r.verdict.why = "10 replicates cannot reach this level: give ⟦bootstrap⟧ 200";
  EXPECT_EQ(verdict_sentence(r, kFlag),
            "Cannot tell: 10 replicates cannot reach this level: give --bootstrap 200.");
  r = judged("cannot tell", 0.0, 0.0, 0.02);
  r.verdict.why = "5 groups are too few";
  r.verdict.unit = "groups";
  r.verdict.needed = 10;
  EXPECT_EQ(verdict_sentence(r),
            "Cannot tell: 5 groups are too few; about 10 groups would settle it for a calibrated model.");
}

TEST(Verdict, NoneIsSaidWithTheReason) {
  Result r = sample::labels();
  EXPECT_EQ(verdict_sentence(r, kFlag),
            "No verdict: without --bootstrap, miscalibration cannot be told from chance.");
  r.items = 1;
  EXPECT_EQ(verdict_sentence(r), "No verdict: one item cannot show whether a model is calibrated.");
  EXPECT_TRUE(detail::next_step(r).parts.empty()) << "one item is no reason to resample";
  r = judged("", 0, 0, 0);
  r.verdict.why = "no item has a vote";
  EXPECT_EQ(verdict_sentence(r), "No verdict: no item has a vote.");
}

TEST(Verdict, OfARegression) {
  Result r = judged("trustworthy", 1.01, 0.95, 1.04);
  r.task = "regression";
  r.verdict.tolerance = 1.1;
  EXPECT_EQ(
      verdict_sentence(r),
      "Trustworthy: the predicted standard deviations are right within a factor of 1.06 with 95% confidence, below the tolerance of 1.1.");
  r.verdict = judged("off", 0.5, 0.4, 0.625).verdict;
  r.verdict.tolerance = 1.1;
  EXPECT_EQ(
      verdict_sentence(r),
      "Off: the predicted standard deviations are too large by a factor of about 2 (95% interval 1.6 to 2.5), above the tolerance of 1.1.");
  r.verdict.verdict = "cannot tell";
  r.verdict.needed = 850;
  EXPECT_EQ(
      verdict_sentence(r),
      "Cannot tell: errors are 0.4 to 0.625 times the predicted standard deviations with 95% confidence, and the tolerance is 1.1; about 850 items would settle it for a calibrated model.");
}

TEST(Verdict, IsReadBackFromJson) {
  Result r = judged("cannot tell", 0.02, 0, 0.11);
  r.verdict.needed = 1900;
  const std::vector<NamedResult> one{{"m", render_json(r)}};
  EXPECT_EQ(verdict_sentence(detail::to_result(detail::read_runs(one).front())), verdict_sentence(r));
}

TEST(Verdict, ResultsOfFormatOneAreReadAndHaveNone) {
  const std::vector<NamedResult> old{
      {"m",
       R"({"plumb": "0.1.0", "command": "evaluate", "task": "binary", "items": 9, "settings": {"bootstrap": 200},
               "metrics": {"ece": {"value": 0.1, "null_mean": 0.02, "p_value": 0.005}}})"}};
  EXPECT_EQ(
      verdict_sentence(detail::to_result(detail::read_runs(old).front()), kFlag),
      "No verdict: the result was made by plumb 0.1.0, which reached none; evaluate again with --bootstrap 200.");
  const std::vector<NamedResult> newer{{"m", R"({"plumb": "9.0.0", "format": 99, "command": "evaluate"})"}};
  EXPECT_THROW((void)detail::read_runs(newer), InputError);
}

TEST(NextStep, HasTheUsersOwnFiles) {
  Result r = judged("off", 0.2, 0.1, 0.3);
  r.argv = {"plumb",  "evaluate", "--probs",     "my probs.npy", "--labels=y.npy",
            "--json", "out.json", "--bootstrap", "200"};
  EXPECT_EQ(
      detail::next_step(r).command(),
      "plumb calibrate fit --probs 'my probs.npy' --labels=y.npy --method auto -o calibrator.json --cross-fit 5 --out-probs calibrated.npy");
  r.verdict.verdict = "trustworthy";
  EXPECT_EQ(detail::next_step(r).command(),
            "plumb uncertainty --probs 'my probs.npy' --labels=y.npy --suspects 20");
  r.verdict.verdict = "cannot tell";
  EXPECT_EQ(detail::next_step(r).command(), "plumb stability --probs 'my probs.npy' --labels=y.npy");
  r.argv.clear();
  EXPECT_TRUE(detail::next_step(r).parts.empty()) << "made by a program: there are no files to name";
}

TEST(NextStep, WithoutReplicatesIsTheSameCommandWithThem) {
  EXPECT_EQ(detail::next_step(sample::labels()).command(),
            "plumb evaluate --probs p.npy --labels y.npy --bootstrap 200");
}

TEST(NextStep, BreaksAsAShellAllows) {
  const std::string text = render_terminal(sample::labels(), {.width = 50});
  EXPECT_NE(text.find("    plumb evaluate --probs p.npy --labels y.npy \\\n      --bootstrap 200\n"),
            std::string::npos)
      << text;
}

TEST(PValues, FloorsAreMarked) {
  EXPECT_EQ(detail::p_text(1.0 / 101, 100), "p <= 0.0099");
  EXPECT_EQ(detail::p_text(2.0 / 101, 100), "p = 0.02");
  EXPECT_EQ(detail::p_cell(1.0 / 101, 100), "<= 0.0099");
  EXPECT_EQ(detail::p_cell(0.5, 0), "0.5000");
}

TEST(NextStep, OfOneItemIsNone) {
  Result r = judged("cannot tell", 0, 0, 0);
  r.items = 1;
  r.verdict.estimate.reset();
  r.verdict.why = "there is only 1 item to evaluate";
  EXPECT_TRUE(detail::next_step(r).parts.empty());
}

TEST(NextStep, TooFewReplicatesAskForMoreOrForALevelInReach) {
  Result r = judged("cannot tell", 0.2, 0.1, 0.4);
  r.argv = {"plumb", "evaluate", "--probs", "p.npy", "--level=0.999", "--bootstrap", "3"};
  r.verdict.why = "3 replicates cannot reach this level: give ⟦bootstrap⟧ 1000";
  for (auto& [key, value] : r.settings)
    if (key == "level") value = 0.999;
  EXPECT_EQ(detail::next_step(r).command(), "plumb evaluate --probs p.npy --level=0.999 --bootstrap 999");
  for (auto& [key, value] : r.settings)
    if (key == "level") value = 0.9999999;
  EXPECT_EQ(detail::next_step(r).command(), "plumb evaluate --probs p.npy --bootstrap 3 --level 0.95");
}

TEST(NextStep, KeepsTheCalibrator) {
  Result r = judged("off", 0.2, 0.1, 0.3);
  r.argv = {"plumb",       "evaluate", "--probs", "p.npy",       "--calibrator",
            "my cal.json", "--labels", "y.npy",   "--bootstrap", "200"};
  EXPECT_EQ(
      detail::next_step(r).command(),
      "plumb calibrate fit --probs p.npy --labels y.npy --after 'my cal.json' --method auto -o calibrator.json --cross-fit 5 --out-probs calibrated.npy");
  for (const char* verdict : {"cannot tell", "trustworthy"}) {
    r.verdict.verdict = verdict;
    EXPECT_EQ(detail::next_step(r).command(),
              "plumb calibrate apply 'my cal.json' --probs p.npy -o calibrated.npy")
        << "stability and uncertainty apply no calibrator";
  }
}

TEST(NextStep, BelowGuessingIsNoCaseForACalibrator) {
  Result r = judged("off", 0.5, 0.4, 0.6);
  for (auto& [key, m] : r.metrics)
    if (key == "accuracy") m.value = 0.06;
  EXPECT_EQ(detail::next_step(r).command(), "plumb describe p.npy y.npy");
}

TEST(NextStep, CountsGroupsWhereTheyAreTheUnit) {
  Result r = judged("cannot tell", 0.02, 0, 0.1);
  r.verdict.unit = "groups";
  EXPECT_TRUE(detail::next_step(r).why.starts_with("Add groups to the test set."))
      << detail::next_step(r).why;
}

TEST(Rounding, BoundsStayBounds) {
  using namespace detail;
  EXPECT_EQ(error_text(0.03121), "0.031");
  EXPECT_EQ(error_text(0.03121, Round::up), "0.032");
  EXPECT_EQ(error_text(0.0318, Round::down), "0.031");
  EXPECT_EQ(error_text(0.000123, Round::up), "0.00013");
  EXPECT_EQ(error_text(0), "0");
  EXPECT_EQ(error_text(0.3, Round::up), "0.3");
  EXPECT_EQ(error_text(0.1 * 3, Round::up), "0.3") << "not 0.301 for the last bit";
  EXPECT_EQ(error_text_beside(0.0496, 0.05, Round::up), "0.0496");
  EXPECT_EQ(error_text_beside(0.0501, 0.05), "0.0501");
  EXPECT_EQ(factor_text(1.0449, Round::up), "1.05");
  EXPECT_EQ(factor_text_beside(1.0996, 1.1, Round::up), "1.0996");
  EXPECT_EQ(factor_text(12.34, Round::down), "12.3");
  EXPECT_EQ(factor_text(7301, Round::up), "7301");
}

TEST(Words, ANumberSaidToBeAboveIsAbove) {
  EXPECT_EQ(verdict_sentence(judged("trustworthy", 0.011, 0, 0.04961)),
            "Trustworthy: the ECE is at most 0.0497 with 95% confidence, below the tolerance of 0.05.");
  Result r = judged("off", 0.0502, 0.0301, 0.0799);
  r.verdict.p_value = 0.02;
  EXPECT_EQ(
      verdict_sentence(r),
      "Off: the ECE is about 0.0502 (95% interval 0.03 to 0.08), above the tolerance of 0.05, and more than chance explains (p = 0.02).");
}

}  // namespace
}  // namespace plumb
