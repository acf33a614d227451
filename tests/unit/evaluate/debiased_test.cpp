#include "evaluate/debiased.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluate/intervals.hpp"
#include "evaluate/unseen.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/interval.hpp"
#include "support/make_items.hpp"

namespace plumb::detail {
namespace {

constexpr int kBins = 15;
constexpr double kNoise = 0.1;  // standard deviation of the mean of a bin

/// A debiased square of gaps g in 15 equal bins.
double simulated_square(double g, RandomStream& rng) {
  double sum = 0;
  for (int b = 0; b < kBins; ++b) {
    const double gap = g + kNoise * rng.normal();
    sum += (gap * gap - kNoise * kNoise) / kBins;
  }
  return sum;
}

std::vector<double> null_squares(int draws, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 3);
  std::vector<double> out;
  for (int d = 0; d < draws; ++d) out.push_back(simulated_square(0, rng));
  return out;
}

constexpr double kGrowth = 4 * kNoise * kNoise / kBins;  // variance of 2 g r is 4 g^2 s^2 / bins

/// The bounds as the header defines them, from sampled noise and by stepping through V.
Bounds stepped(double value, const std::vector<double>& null, double level) {
  RandomStream rng(5, Purpose::demo, 4);
  std::vector<double> normal(10'000);
  for (double& x : normal) x = rng.normal();
  const auto below = [&](double v) {
    std::int64_t hits = 0;
    for (std::size_t i = 0; i < normal.size(); ++i)
      hits += v + null[i % null.size()] + std::sqrt(kGrowth * std::max(v, 0.0)) * normal[i] <= value;
    return double(hits) / double(normal.size());
  };
  double low = -0.03, high = 0.25;
  while (1 - below(low) < (1 - level) / 2) low += 0.0005;
  while (below(high) < (1 - level) / 2) high -= 0.0005;
  return {low, high};
}

TEST(Debiased, BoundsAreThoseOfTheDefinition) {
  const std::vector<double> null = null_squares(200, 1);
  for (const double value : {-0.002, 0.0, 0.003, 0.02, 0.08}) {
    const Bounds b = invert_debiased(value, kGrowth, null, 0.95), naive = stepped(value, null, 0.95);
    EXPECT_NEAR(b.low, naive.low, 0.002) << value;
    EXPECT_NEAR(b.high, naive.high, 0.002) << value;
  }
}

TEST(Debiased, GrowWithTheValueAndTheLevel) {
  const std::vector<double> null = null_squares(200, 2);
  Bounds last{-1, -1};
  for (double value = -0.01; value < 0.1; value += 0.005) {
    const Bounds b = invert_debiased(value, kGrowth, null, 0.95),
                 wide = invert_debiased(value, kGrowth, null, 0.99);
    EXPECT_LT(last.low, b.low);
    EXPECT_LE(last.high, b.high);
    EXPECT_LE(wide.low, b.low);
    EXPECT_GE(wide.high, b.high);
    last = b;
  }
}

TEST(Debiased, Cover) {
  for (const double g : {0.0, 0.05, 0.1, 0.3}) {
    RandomStream rng(7, Purpose::demo, 6);
    int covered = 0, too_low = 0;
    constexpr int kSets = 400;
    const std::vector<double> null = null_squares(200, 8);
    for (int s = 0; s < kSets; ++s) {
      const Bounds b = invert_debiased(simulated_square(g, rng), kGrowth, null, 0.95);
      covered += b.low <= g * g && g * g <= b.high;
      too_low += b.high < g * g;
    }
    EXPECT_GE(covered, 0.93 * kSets) << g;
    EXPECT_LE(covered, 0.995 * kSets) << g;
    EXPECT_LE(too_low, 0.04 * kSets) << g;
  }
}

TEST(Debiased, EdgesOfGrowth) {
  EXPECT_EQ(square_growth(0, 0, 1, 1), 0);
  EXPECT_EQ(square_growth(0.5, 0.5, 2, 100), 4);  // no bias: nothing is taken off
  EXPECT_EQ(square_growth(0.25, 0.5, 2, 2), 2);   // half of it is bias
  EXPECT_EQ(square_growth(-0.5, 0.5, 2, 2), 0);   // all of it
  EXPECT_EQ(square_growth(0.4, 0.5, 0, 1), 0);    // never below 0
}

TEST(Debiased, WithoutNoiseTheBoundsAreTheValue) {
  const std::vector<double> null(50, 0.0);
  const Bounds b = invert_debiased(0.01, 0, null, 0.95);
  EXPECT_NEAR(b.low, 0.01, 1e-9);
  EXPECT_NEAR(b.high, 0.01, 1e-9);
}

TEST(Unseen, LossOfTheOtherOutcome) {
  EXPECT_NEAR(*other_loss("brier", 0.01, true), 0.81, 1e-12);  // forecast 0.9
  EXPECT_NEAR(*other_loss("nll", -std::log(0.9), true), -std::log(0.1), 1e-12);
  EXPECT_FALSE(other_loss("nll", 0, true));  // a forecast of 1 would have an infinite loss
  EXPECT_EQ(*other_loss("brier", 0.01, false), 2);
}

/// The largest chance at which n outcomes are still all the same with probability 2.5%.
TEST(Unseen, ShareIsAtLeastTheExactOne) {
  for (const int n : {10, 50, 1000}) {
    const double exact = 1 - std::pow(0.025, 1.0 / n);
    EXPECT_GE(unseen_share(n, 0.975), 0.97 * exact);
    EXPECT_LE(unseen_share(n, 0.975), 1.3 * exact);
  }
}

Result evaluate_constant(double p, std::vector<std::string> keys) {
  test::Simulated s;
  s.z.assign(50, p);
  s.votes.assign(50, {1});
  return evaluate(test::to_items(s, test::VoteForm::labels),
                  {.metrics = std::move(keys), .bootstrap = 60, .threads = 1});
}

/// 50 of 50: the truth may be a chance of 0.94, and each interval must hold what it is then.
TEST(Unseen, OutcomesThatNeverVaryLeaveAnInterval) {
  const Result r = evaluate_constant(0.9, {"nll", "brier", "oe_ratio", "cl", "ece_l2_debiased", "aurc"});
  const double q = 0.94;
  const std::pair<const char*, double> truths[] = {{"nll", -q * std::log(0.9) - (1 - q) * std::log(0.1)},
                                                   {"brier", q * 0.01 + (1 - q) * 0.81},
                                                   {"oe_ratio", q / 0.9},
                                                   {"cl", 2 * (q - 0.9) * (q - 0.9)},
                                                   {"ece_l2_debiased", q - 0.9}};
  for (const auto& [key, truth] : truths) {
    ASSERT_TRUE(r[key].low) << key;
    EXPECT_LE(*r[key].low, truth) << key;
    EXPECT_GE(*r[key].high, truth) << key;
    EXPECT_LE(*r[key].low, *r[key].value) << key;
    EXPECT_GE(*r[key].high, *r[key].value) << key;
  }
}

TEST(Unseen, AnIntervalThatCannotCoverIsLeftOutWithTheReason) {
  const Result r = evaluate_constant(1, {"nll", "brier", "oe_ratio", "cl", "aurc"});
  for (const char* key : {"nll", "aurc"}) {
    EXPECT_FALSE(r[key].low) << key;
    EXPECT_EQ(r[key].interval, "") << key;
    EXPECT_NE(r[key].interval_why, "") << key;
  }
  for (const char* key : {"brier", "oe_ratio", "cl"}) EXPECT_GT(*r[key].high, *r[key].low) << key;
  EXPECT_NE(std::find(r.notes.begin(), r.notes.end(),
                      "no interval for nll, aurc: all replicates have the same value, which does not show "
                      "how uncertain it is"),
            r.notes.end());
}

/// The same replicates, of 30 items and of 30 groups.
TEST(Groups, PercentileIntervalsAreStretched) {
  const MetricRow& row = *find_metric("calibration_slope");
  Observed observed;
  observed.scores["calibration_slope"] = 1.1;
  std::vector<Drawn> boot(60);
  RandomStream rng(3, Purpose::demo, 0);
  for (Drawn& d : boot) d.scores["calibration_slope"] = 1 + rng.uniform();
  const auto with = [&](bool grouped) {
    const SampleSize size{.units = 30, .effective = 30, .grouped = grouped};
    return Inference(observed, boot, {}, size, true, {}).result(row);
  };
  const MetricResult items = with(false), groups = with(true);
  const double t29 = 2.045230, ratio = t29 / 1.959964 * std::sqrt(30.0 / 29);
  EXPECT_NEAR(*groups.high - 1.1, ratio * (*items.high - 1.1), 1e-4);
  EXPECT_NEAR(1.1 - *groups.low, ratio * (1.1 - *items.low), 1e-4);
}

}  // namespace
}  // namespace plumb::detail
