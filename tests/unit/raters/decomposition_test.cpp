#include "plumb/raters/decomposition.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/raters/ceiling.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

TEST(Decomposition, AgreesWithPairsOfVotes) {
  for (const int classes : {2, 4}) {
    Simulated s = test::simulate({.n = 250, .classes = classes, .raters = 5, .vary = true, .seed = 41});
    for (std::size_t i = 0; i < s.size(); ++i) {
      s.weight.push_back(1.0 + i % 2);
      s.concentration.push_back(3);
    }
    const Decomposition d = decompose_uncertainty(to_items(s, VoteForm::counts), 0.95);
    long double total = 0, aleatoric = 0, differ = 0, far = 0, weight = 0;
    std::int64_t items = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const auto& votes = s.votes[i];
      if (votes.size() < 2) continue;
      std::vector<long double> z;
      for (int k = 0; k < classes; ++k)
        z.push_back(classes == 2 ? (k == 1 ? s.z[i] : 1 - s.z[i]) : s.z[i * classes + k]);
      long double same = 0, pairs = 0, unlike = 0, cross = 0;
      for (const long double x : z) same += x * x;
      // The distance to the shares of a crowd, from products of two different votes.
      for (std::size_t a = 0; a < votes.size(); ++a)
        for (std::size_t b = 0; b < votes.size(); ++b) {
          if (a == b) continue;
          pairs += 1;
          unlike += votes[a] != votes[b];
          for (int k = 0; k < classes; ++k) cross += (z[k] - (votes[a] == k)) * (z[k] - (votes[b] == k));
        }
      const long double w = s.weight[i];
      ++items;
      weight += w;
      total += w * (1 - same);
      aleatoric += w * (1 - same) * 3 / 4;
      differ += w * unlike / pairs;
      far += w * cross / pairs;
    }
    constexpr double kRounding = 1e-12;
    EXPECT_EQ(d.items, items);
    EXPECT_NEAR(*d.total.value, static_cast<double>(total / weight), kRounding);
    EXPECT_NEAR(*d.aleatoric.value, static_cast<double>(aleatoric / weight), kRounding);
    EXPECT_NEAR(*d.epistemic.value, static_cast<double>((total - aleatoric) / weight), kRounding);
    EXPECT_NEAR(*d.aleatoric_observed.value, static_cast<double>(differ / weight), kRounding);
    EXPECT_NEAR(*d.epistemic_observed.value, static_cast<double>(far / weight), kRounding);
    EXPECT_NEAR(*d.aleatoric_gap.value, *d.aleatoric.value - *d.aleatoric_observed.value, kRounding);
    EXPECT_NEAR(*d.epistemic_gap.value, *d.epistemic.value - *d.epistemic_observed.value, kRounding);
  }
}

// Calibrated for pairs of votes, both parts are right.
TEST(Decomposition, OfVotesThatFollowTheForecastHasNoGaps) {
  Simulated s = test::simulate({.n = 20000, .classes = 3, .raters = 4, .heterogeneity = 4, .seed = 42});
  s.concentration.assign(s.size(), 4.0);
  const Decomposition d = decompose_uncertainty(to_items(s, VoteForm::counts), 0.95);
  for (const Bounded* gap : {&d.aleatoric_gap, &d.epistemic_gap}) {
    const double error = (*gap->high - *gap->low) / 2 / 1.96;
    EXPECT_LT(std::abs(*gap->value), 4 * error);
    EXPECT_LT(error, 0.005);
  }
  s.concentration.clear();  // the forecast of independent votes: all uncertainty is called aleatoric
  const Decomposition wrong = decompose_uncertainty(to_items(s, VoteForm::counts), 0.95);
  EXPECT_GT(*wrong.aleatoric_gap.low, 0.05);
  EXPECT_NEAR(*wrong.epistemic.value, 0, 1e-12);
}

TEST(Decomposition, WithoutPairsIsAbsent) {
  const Decomposition d =
      decompose_uncertainty(to_items(test::simulate({.n = 20, .classes = 3}), VoteForm::labels), 0.95);
  EXPECT_EQ(d.items, 0);
  EXPECT_FALSE(d.aleatoric.value);
  EXPECT_FALSE(d.aleatoric.why.empty());
}

TEST(Ceiling, SummaryPlacesTheModelAmongTheRaters) {
  const auto score = [](const char* key, double rater, double model, double half) {
    CeilingScore s{key, rater, model, {}, {}};
    s.low = model - rater - half;
    s.high = model - rater + half;
    return s;
  };
  const std::vector<CeilingRow> rows{
      {0, 10, {score("agreement", 0.5, 0.7, 0.1), score("brier", 1.0, 0.6, 0.5)}},
      {1, 0, {}},
      {2, 10, {score("agreement", 0.8, 0.6, 0.1), score("brier", 0.4, 0.6, 0.1)}},
      {3, 10, {score("agreement", 0.6, 0.65, 0.1), score("brier", 0.7, 0.6, 0.2)}}};
  const auto s = summarise_ceiling(rows);
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].raters, 3);
  EXPECT_EQ(s[0].farther, 2);
  EXPECT_EQ(s[0].surely_farther, 1);
  EXPECT_EQ(s[0].surely_nearer, 1);
  EXPECT_EQ(s[0].best, 2);
  EXPECT_EQ(s[0].best_rater, 0.8);
  EXPECT_EQ(s[0].median_rater, 0.6);
  EXPECT_EQ(s[0].median_model, 0.65);
  EXPECT_EQ(s[1].farther, 2);  // lower Brier scores are better
  EXPECT_EQ(s[1].best, 2);
  EXPECT_EQ(s[1].surely_farther, 0);
  EXPECT_EQ(s[1].surely_nearer, 1);
}

}  // namespace
}  // namespace plumb
