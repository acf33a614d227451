#include "plumb/metrics/ordered/ladder_bounds.hpp"

#include <gtest/gtest.h>

#include <map>

#include "plumb/metrics/kernel/ece_kde.hpp"
#include "plumb/metrics/kernel/mmce.hpp"
#include "plumb/metrics/kernel/smece.hpp"
#include "plumb/metrics/ordered/atb.hpp"
#include "plumb/metrics/ordered/calibration_line.hpp"
#include "plumb/metrics/ordered/corp.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/ks.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"
#include "plumb/metrics/ordered/score_tests.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb {
namespace {

using test::Column;

using Values = std::map<std::string_view, double>;

constexpr double kBandwidth = 0.01;
// Sums of thousands of votes in another order; the bounds are for exact arithmetic.
constexpr double kRounding = 1e-12;

Forecasts forecasts_of(const Column& c) {
  Forecasts f;
  f.p = c.p;
  f.hits = c.hits;
  f.trials = c.trials;
  return f;
}

Values values_of(const Forecasts& column, bool mirrored) {
  const ForecastsView f = column.view();
  const Forecasts own = mirrored ? confidence_of(column, 1) : column;
  const RiskCoverage risk = risk_coverage(own.view());
  const CumulativeGaps gaps = cumulative_gaps(f);
  const CorpParts corp = corp_brier(f);
  const KdeErrors kde = ece_kde(f, kBandwidth, LeaveOut::vote, 1);
  return {{"auroc", *auroc(f).value},
          {"auprc", *auprc(f).value},
          {"ks", *gaps.ks.value},
          {"kuiper", *gaps.kuiper.value},
          {"atb", *atb(f).value},
          {"ece_mass", *ece(equal_mass_table(f, 15)).value},
          {"mmce", *mmce(f).value},
          {"mmce_top", *mmce(own.view()).value},
          {"unc", *corp.unc.value},
          {"dsc", *corp.dsc.value},
          {"mcb", *corp.mcb.value},
          {"spiegelhalter_z", *spiegelhalter_z(f).value},
          {"calibration_intercept", *calibration_line(f, 0).intercept.value},
          {"aurc", *risk.aurc.value},
          {"eaurc", *risk.eaurc.value},
          {"augrc", *risk.augrc.value},
          {"smece", *smece(f).smece.value},
          {"ece_kde", *kde.ece_kde.value},
          {"ece_kde_l2", *kde.ece_kde_l2.value}};
}

Values all_bounds(const Ladder& ladder, double sigma, bool mirrored) {
  const std::vector<LadderRung> rungs = ladder.rungs();
  Values out;
  for (const KeyBounds& some : {order_bounds(rungs, 15), confidence_bounds(rungs, mirrored),
                                smooth_bounds(rungs, sigma), kernel_bounds(rungs, kBandwidth, 1)})
    out.insert(some.begin(), some.end());
  return out;
}

void expect_within(const Column& c, bool mirrored, const char* what) {
  Ladder ladder(0);
  ladder.add(c.view());
  ASSERT_FALSE(ladder.exact());
  const Values truth = values_of(forecasts_of(c), mirrored), read = values_of(ladder.column(), mirrored);
  const Values bounds = all_bounds(ladder, std::max(read.at("smece"), SmoothSums::kSmallestSigma), mirrored);
  for (const auto& [key, value] : truth) {
    ASSERT_TRUE(bounds.contains(key)) << key;
    EXPECT_LE(std::fabs(value - read.at(key)), bounds.at(key) + kRounding)
        << what << ", " << key << ": " << value << " and " << read.at(key);
  }
}

Column with_logits(Column c, double scale, double shift) {
  for (double& p : c.p) p = 1 / (1 + std::exp(-(scale * std::log(p / (1 - p)) + shift)));
  return test::sorted(c);
}

TEST(LadderBounds, HoldForVotesOfManyKinds) {
  for (const std::uint64_t seed : {4U, 5U, 6U})
    for (const double shift : {0.0, -6.0, 3.0})  // also rare events, where a uniform grid fails
      for (const std::size_t n : {60U, 3000U}) {
        const Column c = with_logits(
            test::random_column({.n = n, .most_trials = seed == 4 ? 1 : 3, .seed = seed}), 1.3, shift);
        for (const bool mirrored : {true, false}) {
          if (!mirrored && shift < 0) continue;  // a confidence below 1/2 in every item
          expect_within(c, mirrored, "random");
        }
      }
}

/// Within each rung outcomes that are as far from those of the rung as they can be.
TEST(LadderBounds, HoldForTheWorstOrders) {
  for (const bool hits_first : {true, false}) {
    Column c;
    for (int rung = -300; rung < 300; rung += 3)
      for (int k = 0; k < 8; ++k) {
        const double logit = (rung + 0.06 + 0.11 * k) / Ladder::kSteps;
        c.p.push_back(1 / (1 + std::exp(-logit)));
        c.hits.push_back((k < 4) == hits_first ? 1 : 0);
      }
    c.p.push_back(0.5), c.hits.push_back(1);  // the first class is predicted there
    expect_within(test::sorted(c), true, hits_first ? "hits first" : "misses first");
  }
}

TEST(LadderBounds, AreSmallWhereThereAreManyVotes) {
  const Column c = with_logits(test::random_column({.n = 400'000, .seed = 9}), 2.5, -4);
  Ladder ladder(0);
  ladder.add(c.view());
  const Values bounds = all_bounds(ladder, 0.02, true);
  for (const auto& [key, most] : std::map<std::string_view, double>{{"auroc", 1e-4},
                                                                    {"auprc", 0.01},
                                                                    {"ks", 1e-3},
                                                                    {"kuiper", 1e-3},
                                                                    {"atb", 1e-4},
                                                                    {"ece_mass", 0.01},
                                                                    {"mmce", 1e-3},
                                                                    {"mmce_top", 2e-3},
                                                                    {"aurc", 1e-3},
                                                                    {"eaurc", 1e-3},
                                                                    {"augrc", 1e-3},
                                                                    {"smece", 0.01},
                                                                    {"ece_kde", 5e-3},
                                                                    {"ece_kde_l2", 1e-2},
                                                                    {"dsc", 2e-3},
                                                                    {"mcb", 2e-3},
                                                                    {"spiegelhalter_z", 0.5},
                                                                    {"p", 1e-3}})
    EXPECT_LT(bounds.at(key), most) << key;
}

TEST(LadderBounds, EndsAreExact) {
  Ladder ladder(0);
  const std::vector<double> zero(5, 0.0), one(4, 1.0);
  ladder.add(zero, 1, 0);
  ladder.add(one, 1, 1);
  ladder.add(std::span(one).first(2), 1, 0);
  for (const auto& [key, bound] : all_bounds(ladder, 0.1, true))
    if (key != "calibration_intercept") {
      EXPECT_EQ(bound, 0) << key;
    }
  EXPECT_TRUE(order_bounds(Ladder().rungs(), 15).empty());
  EXPECT_TRUE(confidence_bounds(Ladder().rungs(), true).empty());
  EXPECT_TRUE(kernel_bounds(Ladder().rungs(), 0.1, 1).empty());
}

TEST(LadderBounds, AnyNumberOfThreads) {
  const Column c = with_logits(test::random_column({.n = 20'000, .seed = 11}), 2, 0);
  Ladder ladder(0);
  ladder.add(c.view());
  EXPECT_EQ(kernel_bounds(ladder.rungs(), 0.003, 1), kernel_bounds(ladder.rungs(), 0.003, 7));
}

}  // namespace
}  // namespace plumb
