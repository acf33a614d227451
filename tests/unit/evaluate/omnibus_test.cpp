#include "evaluate/omnibus.hpp"

#include <gtest/gtest.h>

#include "plumb/evaluate/evaluate.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

using Rows = std::vector<std::vector<double>>;

TEST(Omnibus, RanksByHand) {
  // The data are first in neither test; draw 1 is first in one, draw 2 in the other.
  EXPECT_DOUBLE_EQ(detail::smallest_rank_p(Rows{{2, 2}, {3, 0}, {0, 3}, {1, 1}}), 3.0 / 4);
  // First in one test, as each of the draws 1 and 2 is in another; the next rank decides.
  EXPECT_DOUBLE_EQ(detail::smallest_rank_p(Rows{{9, 5, 5}, {1, 9, 1}, {2, 1, 9}, {3, 2, 2}}), 1.0 / 4);
  EXPECT_DOUBLE_EQ(detail::smallest_rank_p(Rows{{9, 1, 1}, {1, 9, 5}, {2, 5, 9}, {3, 2, 2}}), 3.0 / 4);
}

TEST(Omnibus, TiesCountAgainstRejection) {
  EXPECT_DOUBLE_EQ(detail::smallest_rank_p(Rows{{1, 1}, {1, 1}, {1, 1}, {1, 1}}), 1);
  EXPECT_DOUBLE_EQ(detail::smallest_rank_p(Rows{{7}, {7}, {1}, {1}}), 0.5);
}

EvaluateOptions drawn(std::vector<std::string> metrics) {
  return {.metrics = std::move(metrics), .bootstrap = 99, .threads = 1};
}

TEST(Omnibus, DoesNotDependOnTheKeysAskedFor) {
  for (const int raters : {1, 3}) {
    const Items items =
        to_items(simulate({.n = 150, .raters = raters, .sharpen = 1.4, .seed = 5}), VoteForm::counts);
    const auto p = evaluate(items, drawn({"ece"})).verdict.p_value;
    ASSERT_TRUE(p);
    EXPECT_EQ(p, evaluate(items, drawn({"accuracy"})).verdict.p_value);
    EXPECT_EQ(p, evaluate(items, drawn({"ks", "cox_score", "ece_classwise", "cl_plugin"})).verdict.p_value);
    EvaluateOptions threads = drawn({"ece"});
    threads.threads = 4;
    EXPECT_EQ(p, evaluate(items, threads).verdict.p_value);
  }
}

TEST(Omnibus, AbsentWithoutDrawsOrUnits) {
  EXPECT_FALSE(evaluate(to_items(simulate({.n = 50}), VoteForm::labels), {}).verdict.p_value);
  EXPECT_FALSE(evaluate(to_items(simulate({.n = 1}), VoteForm::labels), drawn({"ece"})).verdict.p_value);
}

TEST(Omnibus, AnOverconfidentModelIsFound) {
  const Items items = to_items(simulate({.n = 2000, .sharpen = 2.5, .seed = 9}), VoteForm::labels);
  const Result r = evaluate(items, drawn({"ece", "ks", "spiegelhalter_z"}));
  EXPECT_DOUBLE_EQ(*r.verdict.p_value, 1.0 / 100);
  for (const auto& [key, m] : r.metrics) EXPECT_DOUBLE_EQ(*m.p_value, 1.0 / 100) << key;
  EXPECT_GT(*r["spiegelhalter_z"].value, 0);
  // Under-confident: as far out on the other side.
  const Result under = evaluate(to_items(simulate({.n = 2000, .sharpen = 0.5, .seed = 9}), VoteForm::labels),
                                drawn({"spiegelhalter_z"}));
  EXPECT_LT(*under["spiegelhalter_z"].value, 0);
  EXPECT_DOUBLE_EQ(*under["spiegelhalter_z"].p_value, 1.0 / 100);
}

TEST(Omnibus, EveryKindOfVotesHasANull) {
  struct Kind {
    SimulateOptions data;
    VoteForm form;
  };
  for (const Kind& k :
       {Kind{{.n = 60, .groups = 12}, VoteForm::labels},
        Kind{{.n = 60, .classes = 3, .groups = 12}, VoteForm::labels},
        Kind{{.n = 60, .raters = 4, .vary = true, .groups = 12}, VoteForm::counts},
        Kind{{.n = 60, .classes = 3, .raters = 4, .vary = true, .groups = 12}, VoteForm::ratings}}) {
    Simulated s = simulate(k.data);
    if (s.classes == 2) s.z[0] = 0, s.z[1] = 1;  // certain forecasts
    std::vector<std::string> keys;  // without smooth and kernel estimates, which cost a hundred times as much
    for (const MetricRow& row : metrics())
      if (row.null && !row.key.starts_with("ece_kde") && row.key != "smece" &&
          (row.task != Task::binary || s.classes == 2))
        keys.emplace_back(row.key);
    const Result one = evaluate(to_items(s, k.form), drawn(keys));
    EvaluateOptions two = drawn(keys);
    two.threads = 3;
    const Result same = evaluate(to_items(s, k.form), two);
    ASSERT_TRUE(one.verdict.p_value);
    EXPECT_EQ(one.verdict.p_value, same.verdict.p_value);
    for (std::size_t i = 0; i < one.metrics.size(); ++i) {
      EXPECT_EQ(one.metrics[i].second.p_value, same.metrics[i].second.p_value) << one.metrics[i].first;
      if (const MetricRow* row = find_metric(one.metrics[i].first);
          row->null && one.metrics[i].second.value) {
        EXPECT_TRUE(one.metrics[i].second.p_value) << row->key;
      }
    }
  }
}

}  // namespace
}  // namespace plumb::test
