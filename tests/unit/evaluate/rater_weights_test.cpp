#include "plumb/evaluate/rater_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

EvaluateOptions few_keys() {
  EvaluateOptions o;
  o.metrics = {"accuracy", "brier", "ece", "nll"};
  o.threads = 1;
  return o;
}

Simulated three_raters() { return test::simulate({.n = 200, .classes = 3, .raters = 3, .seed = 81}); }

/// The votes of each rater as often as `times` says, as counts.
Items repeated_counts(const Simulated& s, const std::vector<int>& times) {
  Simulated more = s;
  for (std::size_t i = 0; i < s.size(); ++i) {
    more.votes[i].clear();
    for (std::size_t r = 0; r < s.votes[i].size(); ++r)
      more.votes[i].insert(more.votes[i].end(), times[r], s.votes[i][r]);
  }
  return to_items(more, VoteForm::counts);
}

TEST(RaterWeights, AVoteOfWeightTwoIsTwoVotes) {
  const Simulated s = three_raters();
  const Result expected = evaluate(repeated_counts(s, {2, 1, 0}), few_keys());
  for (const std::vector<double>& weights :
       {std::vector<double>{2, 1, 0}, {0.5, 0.25, 0}, {3, 1.5, 0}, {0.002, 0.001, 0}}) {
    Items items = to_items(s, VoteForm::ratings);
    items.votes = weighted_votes(items.votes, weights);
    const Result r = evaluate(items, few_keys());
    for (const std::string& key : few_keys().metrics) EXPECT_EQ(r[key].value, expected[key].value) << key;
  }
}

TEST(RaterWeights, BadWeightsAreNamed) {
  const Items items = to_items(three_raters(), VoteForm::ratings);
  const auto complaint = [&](std::vector<double> weights) -> std::string {
    try {
      (void)weighted_votes(items.votes, weights);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(complaint({1, 1}).find("2 weights for 3 raters"), std::string::npos) << complaint({1, 1});
  EXPECT_NE(complaint({1, -1, 1}).find("weight of 1 is -1"), std::string::npos) << complaint({1, -1, 1});
  EXPECT_NE(complaint({1, 1 / 3.0, 1}).find("three digits"), std::string::npos);
  EXPECT_NE(complaint({0, 0, 0}).find("every rater"), std::string::npos);
  EXPECT_NE(complaint({1, 1, 1e9}).find("from 0 to 1000"), std::string::npos);
  EXPECT_THROW((void)weighted_votes(to_items(three_raters(), VoteForm::counts).votes, std::vector<double>{1}),
               InputError);
}

TEST(RaterWeights, PairsOfVotesAreLeftOut) {
  EvaluateOptions o;
  const auto keys = keys_without_pairs(o, false);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), "el"), 0);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), "brier"), 1);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), "oe_ratio"), 0);  // of binary tasks
  o.metrics = {"el"};
  EXPECT_THROW((void)keys_without_pairs(o, false), InputError);
  o.metrics = {"brier"};
  EXPECT_EQ(keys_without_pairs(o, false), o.metrics);
}

TEST(LeaveOneOut, IsTheEvaluationWithoutTheColumn) {
  const Simulated s = three_raters();
  const Items items = to_items(s, VoteForm::ratings);
  const Result all = evaluate(items, few_keys());
  const LeaveOneOut out = leave_one_rater_out(items, few_keys(), all.metrics);
  ASSERT_EQ(out.raters.size(), 3u);
  for (int r = 0; r < 3; ++r) {
    std::vector<int> times{1, 1, 1};
    times[r] = 0;
    const Result expected = evaluate(repeated_counts(s, times), few_keys());
    EXPECT_EQ(out.raters[r].votes, 400);
    for (const auto& [key, x] : out.raters[r].metrics) EXPECT_EQ(x, expected[key].value) << key;
  }
  for (const RaterInfluence& i : out.influence) {
    EXPECT_EQ(i.value, all[i.key].value);
    EXPECT_LE(i.lowest, i.highest);
    bool found = false;
    for (const WithoutRater& w : out.raters)
      for (const auto& [key, x] : w.metrics)
        if (key == i.key) {
          EXPECT_GE(*x, i.lowest);
          EXPECT_LE(*x, i.highest);
          EXPECT_LE(std::abs(*x - i.value), std::abs(i.change));
          found = found || (w.rater == i.rater && *x - i.value == i.change);
        }
    EXPECT_TRUE(found) << i.key;
  }
}

TEST(LeaveOneOut, NeedsRaters) {
  const Items counts = to_items(three_raters(), VoteForm::counts);
  EXPECT_THROW((void)leave_one_rater_out(counts, few_keys(), {}), InputError);
}

}  // namespace
}  // namespace plumb
