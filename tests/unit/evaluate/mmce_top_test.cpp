// mmce_top against the double sum of Liu 2022, eq. 28, written out; keys under another name.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/evaluate/compare.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/stability.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

constexpr double kRecursion = 1e-12;  // the running sum against the double loop

/// Correctness of the most probable class, the lowest among equals, over all ordered pairs of votes.
double naive_mmce_top(const Simulated& s) {
  struct Vote {
    double p, y;
  };
  std::vector<Vote> votes;
  for (std::size_t i = 0; i < s.size(); ++i) {
    std::vector<double> z(s.z.begin() + i * s.classes, s.z.begin() + (i + 1) * s.classes);
    const auto top = std::max_element(z.begin(), z.end()) - z.begin();
    for (const int v : s.votes[i]) votes.push_back({z[top], v == top ? 1.0 : 0.0});
  }
  double sum = 0;
  for (const Vote& a : votes)
    for (const Vote& b : votes) sum += (a.y - a.p) * (b.y - b.p) * std::exp(-std::abs(a.p - b.p) / 0.4);
  return std::sqrt(sum) / static_cast<double>(votes.size());
}

Simulated with_both_columns(Simulated s) {
  if (s.classes > 2) return s;
  std::vector<double> z;
  for (const double p : s.z) z.insert(z.end(), {1 - p, p});
  s.z = z;
  return s;
}

TEST(MmceTop, IsTheDoubleSumOverCorrectness) {
  for (const int classes : {2, 3})
    for (const int raters : {1, 4}) {
      const Simulated s = simulate({.n = 150, .classes = classes, .raters = raters, .seed = 5});
      const Result r = evaluate(to_items(s, VoteForm::counts), {.metrics = {"mmce", "mmce_top"}});
      EXPECT_NEAR(*r["mmce_top"].value, naive_mmce_top(with_both_columns(s)), kRecursion)
          << classes << " classes, " << raters << " raters";
      EXPECT_EQ(r["mmce"].value == r["mmce_top"].value, classes > 2) << "for two classes the events differ";
    }
}

TEST(MmceTop, HasAPValue) {
  const MetricResult m = evaluate(to_items(simulate({.n = 100, .sharpen = 3}), VoteForm::labels),
                                  {.metrics = {"mmce_top"}, .bootstrap = 99})["mmce_top"];
  EXPECT_TRUE(m.null_mean);
  EXPECT_FALSE(m.low);
  EXPECT_LT(*m.p_value, 0.05);
}

TEST(Alias, EveryFrontDoorTakesIt) {
  const Items items = to_items(simulate({.n = 100}), VoteForm::labels);
  const Result r = evaluate(items, {.metrics = {"ece_debiased"}});
  ASSERT_EQ(r.metrics.size(), 1u);
  EXPECT_EQ(r.metrics[0].first, "ece_l2_debiased");
  EXPECT_EQ(r["ece_debiased"].value, r["ece_l2_debiased"].value);
  const Comparison c = compare({{"a", items}, {"b", items}}, {.metrics = {"ece_debiased"}, .bootstrap = 2});
  EXPECT_EQ(c["ece_debiased"].key, "ece_l2_debiased");
  EXPECT_EQ(stability(items, {.estimators = {"ece_debiased"}, .repeats = 2}).estimators[0].key,
            "ece_l2_debiased");
}

}  // namespace
}  // namespace plumb::test
