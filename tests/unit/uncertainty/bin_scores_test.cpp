// Scores of a histogram: the paper's printed values, the refinement theorem, one-sided bins.
#include "plumb/uncertainty/bin_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "column.hpp"
#include "plumb/uncertainty/uncertainty.hpp"

namespace plumb::test {
namespace {

using Bins = std::vector<UncertaintyBin>;

Bins even(const std::vector<double>& p) {
  Bins out;
  for (const double x : p) out.push_back(bin(1.0 / static_cast<double>(p.size()), x));
  return out;
}

double eor(const Bins& bins) {
  return *expected_odds_ratio(bins, base_accuracy(bins), Degenerate::pool).eor.value;
}

// A score with a few roundings in it, against numbers written out by hand.
constexpr double kRounding = 1e-12;

TEST(BinScores, PrintedExamples) {  // Finlay 2022; half a unit of the last printed digit
  EXPECT_NEAR(eor({bin(1, 1 - .038), bin(1, 1 - .040), bin(1, 1 - .042)}), 1.0357, 5e-5);  // example 1
  EXPECT_NEAR(eor({bin(1, 1 - .003), bin(1, 1 - .041), bin(1, 1 - .076)}), 5.6158, 5e-5);
  EXPECT_NEAR(eor(even({1. / 16, .5, .5, 15. / 16})), 8, kRounding);  // example 3
  const Bins entropy{bin(.55, .99), bin(.31, .95), bin(.14, .80)};    // example 4
  EXPECT_NEAR(*expected_odds_ratio(entropy, .94, Degenerate::pool).eor.value, 4.40, 5e-3);
  EXPECT_NEAR(eor(entropy), 3.80, 5e-3);
  EXPECT_NEAR(*binned_auroc(even({1. / 16, .5, .5, 15. / 16})).value, .828125, kRounding);  // example 5
  EXPECT_NEAR(*binned_auroc(even({15. / 16, .5, .5, 1. / 16})).value, .171875, kRounding);
  EXPECT_NEAR(eor(even({.15, .4, .8})), 3.584, 5e-4);  // example 6
  EXPECT_NEAR(eor(even({.4, .5, .99})), 20.80, 5e-3);
  EXPECT_NEAR(*binned_auroc(even({.15, .4, .8})).value, .792, 5e-4);
  EXPECT_NEAR(*binned_auroc(even({.4, .5, .99})).value, .781, 5e-4);
  EXPECT_NEAR(eor(even({.94, .999})), 16.73, 5e-3);  // example 8
  EXPECT_NEAR(eor(even({.95, .99})), 2.382, 5e-4);
  EXPECT_NEAR(conditional_entropy(even({.94, .999})), .169, 5e-4);
  EXPECT_NEAR(conditional_entropy(even({.95, .99})), .184, 5e-4);
}

TEST(BinScores, OddsRatioIsSymmetricAndOneAtTheBase) {
  for (const double p : {.02, .3, .77, .999})
    for (const double a : {.05, .5, .94}) {
      EXPECT_NEAR(odds_ratio_score(p, a), odds_ratio_score(a, p), kRounding * odds_ratio_score(p, a));
      EXPECT_NEAR(odds_ratio_score(1 - p, 1 - a), odds_ratio_score(p, a), 1e-10 * odds_ratio_score(p, a));
      EXPECT_GE(odds_ratio_score(p, a), 1);
      EXPECT_GE(kl_score(p, a), 0);
    }
  EXPECT_EQ(odds_ratio_score(.3, .3), 1);
  EXPECT_TRUE(std::isinf(odds_ratio_score(1, .9)));
}

// Every split of a bin: Jensen's inequality for each convex score (theorem 1).
TEST(BinScores, RefinementNeverLowersAConvexScore) {
  const std::vector<std::pair<const char*, BinScore>> scores{
      {"odds ratio", [](double p, double a) { return odds_ratio_score(p, a); }},
      {"KL", [](double p, double a) { return kl_score(p, a); }},
      {"squared", [](double p, double a) { return (p - a) * (p - a); }},
      {"worst of two", [](double p, double a) { return std::max(p - a, 3 * (a - p)); }}};
  RandomStream rng(4, Purpose::demo);
  for (int trial = 0; trial < 300; ++trial) {
    Bins coarse, fine;
    const auto count = 1 + rng.below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      UncertaintyBin whole;
      const auto parts = 1 + rng.below(4);
      for (std::uint64_t j = 0; j < parts; ++j) {
        fine.push_back(bin(0.05 + rng.uniform(), 0.01 + 0.98 * rng.uniform()));
        whole.mass += fine.back().mass;
        whole.hits += fine.back().hits;
      }
      coarse.push_back(whole);
    }
    const double a = base_accuracy(fine);
    ASSERT_NEAR(base_accuracy(coarse), a, kRounding);
    for (const auto& [name, score] : scores) {
      const double before = expected_score(coarse, a, score), after = expected_score(fine, a, score);
      EXPECT_LE(before, after + kRounding * (1 + after)) << name << ", trial " << trial;
    }
    EXPECT_LE(*expected_odds_ratio(coarse, a, Degenerate::pool).eor.value,
              *expected_odds_ratio(fine, a, Degenerate::pool).eor.value * (1 + kRounding));
  }
}

TEST(BinScores, TheAbsoluteLogOddsRatioIsNotConvex) {  // so the test above can fail
  const BinScore log_odds = [](double p, double a) { return std::abs(std::log(odds_ratio_score(p, a))); };
  EXPECT_LT(expected_score(Bins{bin(1, .9)}, .5, log_odds),
            expected_score(Bins{bin(.5, .81), bin(.5, .99)}, .5, log_odds));
  EXPECT_GT(expected_score(Bins{bin(1, .3)}, .1, log_odds),
            expected_score(Bins{bin(.5, .1), bin(.5, .5)}, .1, log_odds));
}

TEST(BinScores, KlIsWhatTheBinsTell) {  // H(a) - H(X given U)
  const Bins bins{bin(.2, .5), bin(.5, .9), bin(.3, .99)};
  const double a = base_accuracy(bins);
  EXPECT_NEAR(expected_score(bins, a, kl_score),
              conditional_entropy(Bins{bin(1, a)}) - conditional_entropy(bins), kRounding);
}

TEST(BinScores, BrierAndAurocOfOneBin) {
  const Bins one{bin(3, .8)};
  EXPECT_NEAR(binned_brier(one), .16, kRounding);
  EXPECT_NEAR(*binned_auroc(one).value, .5, kRounding);
  EXPECT_NEAR(eor(one), 1, kRounding);
}

TEST(BinScores, OneSidedBinsArePooledToTheRightAndTheLastToTheLeft) {
  const Bins bins{bin(10, 1, 10), bin(10, 1, 10), bin(10, .9, 10), bin(10, .5, 10), bin(10, 0, 10)};
  const Bins pooled = pool_one_sided(bins);
  ASSERT_EQ(pooled.size(), 2u);
  EXPECT_EQ(pooled[0].mass, 30);
  EXPECT_EQ(pooled[0].hits, 29);
  EXPECT_EQ(pooled[1].mass, 20);
  EXPECT_EQ(pooled[1].hits, 5);
  const OddsRatio odds = expected_odds_ratio(bins, .68, Degenerate::pool);
  EXPECT_EQ(odds.pooled_bins, 3);
  EXPECT_NEAR(*odds.eor.value, .6 * odds_ratio_score(29. / 30, .68) + .4 * odds_ratio_score(.25, .68),
              kRounding);
}

TEST(BinScores, AllRightAndThenAllWrongBecomeOneBin) {
  const OddsRatio odds = expected_odds_ratio(Bins{bin(6, 1), bin(4, 0)}, .6, Degenerate::pool);
  EXPECT_NEAR(*odds.eor.value, 1, kRounding);
  EXPECT_EQ(odds.pooled_bins, 1);
}

TEST(BinScores, JeffreysAndError) {
  const Bins bins{bin(10, 1, 10), bin(10, .5, 10)};
  const OddsRatio jeffreys = expected_odds_ratio(bins, .75, Degenerate::jeffreys);
  EXPECT_NEAR(*jeffreys.eor.value,
              .5 * odds_ratio_score(10.5 / 11, .75) + .5 * odds_ratio_score(5.5 / 11, .75), kRounding);
  EXPECT_EQ(jeffreys.pooled_bins, 0);
  const OddsRatio error = expected_odds_ratio(bins, .75, Degenerate::error);
  EXPECT_FALSE(error.eor);
  EXPECT_NE(error.eor.why.find("bin 0 of 2 has only right answers"), std::string::npos) << error.eor.why;
}

TEST(BinScores, NoOddsWhereEveryAnswerIsRight) {
  const Bins bins{bin(10, 1), bin(10, 1)};
  EXPECT_FALSE(expected_odds_ratio(bins, 1, Degenerate::pool).eor);
  EXPECT_FALSE(expected_odds_ratio(bins, .9, Degenerate::pool).eor) << "with a base rate given";
  EXPECT_FALSE(binned_auroc(bins));
}

TEST(BinScores, HistogramAsAMeasure) {
  UncertaintyOptions o;
  const UncertaintyResult r = score_histogram({1, 1, 1, 1}, {1. / 16, .5, .5, 15. / 16}, o);
  ASSERT_EQ(r.measures.size(), 1u);
  EXPECT_EQ(r.measures[0].name, "histogram");
  EXPECT_EQ(r.accuracy, .5);
  double aurc = -1;
  for (const auto& [key, m] : r.measures[0].scores) {
    if (key == "auroc") {
      EXPECT_NEAR(*m.value, .828125, kRounding);
    }
    if (key == "aurc") aurc = *m.value;
  }
  // Risks from the most confident bin on: 1/16, (1/16 + 1/2)/2, (1/16 + 1)/3, 2/4.
  EXPECT_NEAR(aurc, (1. / 16 + 9. / 32 + 17. / 48 + .5) / 4, kRounding);
  EXPECT_THROW((void)score_histogram({1, -1}, {.5, .5}, o), std::invalid_argument);
  EXPECT_THROW((void)score_histogram({0, 0}, {.5, .5}, o), std::invalid_argument);
  EXPECT_THROW((void)score_histogram({1}, {1.5}, o), std::invalid_argument);
}

}  // namespace
}  // namespace plumb::test
