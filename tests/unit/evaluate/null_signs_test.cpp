// Random signs of whole units as the null.
#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/resample/resample.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

EvaluateOptions by_signs() {
  EvaluateOptions o;
  o.metrics = {"ece", "ks", "ece_classwise"};
  o.bootstrap = 399;
  o.null = NullKind::signs;
  return o;
}

TEST(NullSigns, AUnitKeepsItsResidualsOrTurnsThem) {
  Forecasts f;
  f.p = {0.1, 0.2, 0.7, 0.9};
  f.hits = {1, 0, 2, 3};
  f.trials = {1, 1, 3, 3};
  NullModel model;
  model.kind = NullKind::signs;
  const std::vector<std::uint64_t> rows{0, 1, 2, 3}, units{0, 0, 1, 1};
  int turned = 0;
  for (std::uint32_t r = 0; r < 200; ++r) {
    NullDraw draw;
    draw.draw(model, 5, r, rows, units);
    std::vector<double> hits;
    draw.hits(f.view(), {}, hits);
    for (const int first : {0, 2}) {
      const double a =
          (hits[first] - f.trials[first] * f.p[first]) / (f.hits[first] - f.trials[first] * f.p[first]);
      const double b = (hits[first + 1] - f.trials[first + 1] * f.p[first + 1]) /
                       (f.hits[first + 1] - f.trials[first + 1] * f.p[first + 1]);
      EXPECT_NEAR(std::abs(a), 1, 1e-12);
      EXPECT_NEAR(a, b, 1e-12);  // one sign a unit
      turned += a < 0 ? 1 : 0;
    }
  }
  EXPECT_NEAR(turned, 200, 60);  // of 400; six standard deviations
}

TEST(NullSigns, FiveGroupsCannotReachFivePercent) {
  // Far off: every other pattern of signs gives a smaller error. One of 16 gives the same.
  test::Simulated s = test::simulate({.n = 500, .groups = 5, .seed = 2});
  for (std::size_t i = 0; i < s.size(); ++i) s.z[i] = 0.05, s.votes[i] = {1};
  const Result r = evaluate(test::to_items(s, test::VoteForm::labels), by_signs());
  EXPECT_NEAR(*r["ece"].p_value, 0.0625, 0.03);
  EXPECT_GT(*r["ece"].p_value, 0.04);
  EXPECT_FALSE(r["ece_classwise"].p_value);  // signs turn residuals of the event alone
  EXPECT_TRUE(std::any_of(r.notes.begin(), r.notes.end(),
                          [](const std::string& n) { return n.find("0.0625") != std::string::npos; }));
  EXPECT_EQ(r.verdict.verdict, "cannot tell");
}

TEST(NullSigns, AreEchoedAndNeedDependentVotes) {
  const test::Simulated s = test::simulate({.n = 200, .groups = 20, .seed = 4});
  const Result r = evaluate(test::to_items(s, test::VoteForm::labels), by_signs());
  EXPECT_TRUE(std::any_of(r.settings.begin(), r.settings.end(), [](const auto& pair) {
    return pair.first == "null" &&
           std::get<std::string>(pair.second).find("random sign") != std::string::npos;
  }));
  test::Simulated alone = s;
  alone.group.clear();
  EXPECT_THROW(evaluate(test::to_items(alone, test::VoteForm::labels), by_signs()), InputError);
}

TEST(Ratio,
     WithoutEventsHasAnUpperBound) {  // 0 of 100 where 5 are expected: at most 3.69 could have come unseen
  test::Simulated s = test::simulate({.n = 100, .seed = 6});
  for (std::size_t i = 0; i < s.size(); ++i) s.z[i] = 0.05, s.votes[i] = {0};
  const Result r =
      evaluate(test::to_items(s, test::VoteForm::labels), {.metrics = {"oe_ratio"}, .bootstrap = 50});
  EXPECT_EQ(*r["oe_ratio"].value, 0);
  EXPECT_EQ(*r["oe_ratio"].low, 0);
  EXPECT_NEAR(*r["oe_ratio"].high, 3.69 / 5, 0.02);
}

TEST(NullSigns, TheNoteAndItsBound) {
  EXPECT_NE(few_signs_note(5, true, 0.95).find("5 groups"), std::string::npos);
  EXPECT_EQ(few_signs_note(6, true, 0.95), "");
  EXPECT_EQ(few_signs_note(1, true, 0.95), "");
  EXPECT_NE(few_signs_note(6, true, 0.99), "");
}

TEST(NullSigns, ResidualsOfTheTopClassAreNoCounts) {
  // Two classes: max(p, 1 - p) hits where the event does or does not, and turned hits are real numbers. The
  // error that signs give is that of a calibrated model, whatever the event.
  EvaluateOptions o = by_signs();
  o.metrics = {"mmce", "mmce_top"};
  o.bootstrap = 99;
  const Items items =
      test::to_items(test::simulate({.n = 2000, .groups = 200, .seed = 4}), test::VoteForm::labels);
  const Result r = evaluate(items, o);
  EXPECT_LT(*r["mmce_top"].null_mean, 2 * *r["mmce"].null_mean);
  EXPECT_GT(*r["mmce_top"].null_mean, *r["mmce"].null_mean / 4);
}

}  // namespace
}  // namespace plumb
