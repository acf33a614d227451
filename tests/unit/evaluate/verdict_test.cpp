#include "evaluate/verdict.hpp"

#include <gtest/gtest.h>

#include "plumb/evaluate/evaluate.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using detail::decide;
using detail::Evidence;

Evidence enough() {
  return {.level = 0.95,
          .tolerance = 0.05,
          .draws = 200,
          .units = 500,
          .estimate = 0.01,
          .high = 0.04,
          .needed = 900,
          .p_value = 0.5};
}

TEST(Decide, TheThreeVerdicts) {
  Evidence e = enough();
  EXPECT_EQ(decide(e).verdict, "trustworthy");
  e.p_value = 0.001;  // a small error that is certainly there is still small
  EXPECT_EQ(decide(e).verdict, "trustworthy");
  e.high = 0.2;
  EXPECT_EQ(decide(e).verdict, "cannot tell");
  EXPECT_EQ(decide(e).needed, 900);
  e.estimate = 0.1;
  EXPECT_EQ(decide(e).verdict, "off");
  EXPECT_FALSE(decide(e).certain);
  e.low = 0.06;
  EXPECT_TRUE(decide(e).certain);
  e.p_value = 0.06;
  EXPECT_EQ(decide(e).verdict, "cannot tell");
  EXPECT_FALSE(decide(e).needed);
  e.p_value.reset();
  EXPECT_EQ(decide(e).verdict, "cannot tell");
}

TEST(Decide, TooFewReplicatesOrUnits) {
  Evidence e = enough();
  e.draws = 18;
  EXPECT_EQ(decide(e).verdict, "cannot tell");
  EXPECT_NE(decide(e).why.find("18 replicates"), std::string::npos);
  e.draws = 19;
  EXPECT_EQ(decide(e).verdict, "trustworthy");
  e.units = 9;
  EXPECT_EQ(decide(e).verdict, "cannot tell");
  e = enough();
  e.level = 0.9;
  e.draws = 9;
  EXPECT_EQ(decide(e).verdict, "trustworthy");
}

TEST(Decide, AFewGroupsProveNothing) {
  Evidence e = enough();
  e.grouped = true;
  e.estimate = 0.3;
  e.low = 0.2;
  e.high = 0.5;
  e.p_value = 0.005;
  for (const std::int64_t groups : {2, 5, 9}) {
    e.units = groups;
    EXPECT_EQ(decide(e).verdict, "cannot tell");
    EXPECT_NE(decide(e).why.find(std::to_string(groups) + " groups"), std::string::npos) << decide(e).why;
    EXPECT_EQ(decide(e).needed, 900);
  }
  e.units = 10;
  EXPECT_EQ(decide(e).verdict, "off");
}

TEST(Decide, NoNumberWhereItWouldNotSettleIt) {
  Evidence e = enough();
  e.high = 0.07;
  e.needed = 400;  // fewer than there are
  EXPECT_FALSE(decide(e).needed);
  e = enough();
  e.high = 0.07;
  e.estimate = 0.045;
  EXPECT_FALSE(decide(e).needed);
  EXPECT_NE(decide(e).why.find("too close"), std::string::npos);
}

Verdict verdict_of(const std::vector<double>& p, const std::vector<int>& y, int bootstrap = 200) {
  test::Simulated s;
  s.z = p;
  for (const int v : y) s.votes.push_back({v});
  return evaluate(test::to_items(s, test::VoteForm::labels), {.bootstrap = bootstrap, .threads = 1}).verdict;
}

TEST(Verdict, EdgesOfTheData) {
  EXPECT_EQ(verdict_of({0.5, 0.5}, {0, 1}, 0).verdict, "");
  EXPECT_NE(verdict_of({0.5, 0.5}, {0, 1}, 0).why.find("replicates"), std::string::npos);
  EXPECT_EQ(verdict_of({0.5}, {1}).verdict, "cannot tell");
  EXPECT_EQ(verdict_of({0, 1}, {0, 1}).verdict, "cannot tell");
  EXPECT_EQ(verdict_of(std::vector<double>(20, 1.0), std::vector<int>(20, 1)).verdict,
            "cannot tell");  // 3 / 20 > 0.05
  EXPECT_EQ(verdict_of(std::vector<double>(200, 1.0), std::vector<int>(200, 1)).verdict, "trustworthy");
  EXPECT_EQ(verdict_of(std::vector<double>(40, 0.9), std::vector<int>(40, 0)).verdict, "off");
  EXPECT_EQ(verdict_of(std::vector<double>(40, 0.9), std::vector<int>(40, 0), 10).verdict, "cannot tell");
}

TEST(Verdict, AToleranceAboveTheRateOfEventsSaysSo) {
  using detail::rare_outcome_warning;
  EXPECT_EQ(rare_outcome_warning(0.3, 0.31, true, 0.05), "");
  EXPECT_EQ(rare_outcome_warning(0.05, 0.04, true, 0.05), "");
  const std::string rare = rare_outcome_warning(0.0015, 0.0075, true, 0.05);
  EXPECT_EQ(
      rare,
      "the tolerance is larger than the share of the rarer outcome (0.15%), so this says little about it: "
      "see oe_ratio, or give ⟦tolerance⟧ 0.0003");
  // oe_ratio counts class 1, which is the common one here.
  EXPECT_EQ(rare_outcome_warning(0.999, 0.998, true, 0.05).find("oe_ratio"), std::string::npos);
  EXPECT_NE(rare_outcome_warning(0.98, 0.97, false, 0.05).find("wrong answers (2%)"), std::string::npos);
  EXPECT_NE(rare_outcome_warning(0, 0.01, true, 0.05).find("⟦tolerance⟧ 0.002"), std::string::npos);
  EXPECT_NE(rare_outcome_warning(0, 0, true, 0.05).find("a smaller ⟦tolerance⟧"), std::string::npos);
  EXPECT_NE(verdict_of(std::vector<double>(200, 0.01), std::vector<int>(200, 0)).why.find("see oe_ratio"),
            std::string::npos);
}

TEST(Verdict, CorrectedErrorLiesInTheIntervalOfEce) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Items items =
        test::to_items(test::simulate({.n = 150, .sharpen = 1.5, .seed = seed}), test::VoteForm::labels);
    const Result r = evaluate(items, {.bootstrap = 100, .threads = 1});
    EXPECT_EQ(r["ece"].interval, "inversion");
    EXPECT_GE(*r["ece_corrected"].value, *r["ece"].low);
    EXPECT_LE(*r["ece_corrected"].value, *r["ece"].high);
    EXPECT_LE(*r["ece_corrected"].value, *r["ece"].value);
    EXPECT_EQ(r.verdict.estimate, r["ece_corrected"].value);
    for (const int threads : {2, 16}) {
      const Result other = evaluate(items, {.bootstrap = 100, .threads = threads});
      EXPECT_EQ(other.verdict.high, r.verdict.high);
      EXPECT_EQ(other["ece"].high, r["ece"].high);
      EXPECT_EQ(other["ece_mass"].low, r["ece_mass"].low);
    }
  }
  EXPECT_FALSE(
      evaluate(test::to_items(test::simulate({}), test::VoteForm::labels), {})["ece_corrected"].value);
}

}  // namespace
}  // namespace plumb
