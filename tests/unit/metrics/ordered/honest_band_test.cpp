// The band that holds at all forecasts at once.
#include "plumb/metrics/ordered/honest_band.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

struct Votes400 {
  std::vector<double> p, y;
};

Votes400 calibrated_votes(std::uint64_t seed, double power) {
  RandomStream rng(seed, Purpose::demo, 3);
  Votes400 v;
  for (int i = 0; i < 400; ++i) v.p.push_back(rng.uniform());
  std::sort(v.p.begin(), v.p.end());
  for (const double p : v.p) v.y.push_back(rng.uniform() < std::pow(p, power) ? 1 : 0);
  return v;
}

const std::vector<double> kAt{0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95};

TEST(HonestBand, AscendsAndHoldsTheTruthOfACalibratedModel) {
  int missed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Votes400 v = calibrated_votes(seed, 1);
    const HonestBand b = honest_band({v.p, v.y, {}, {}, {}, true}, kAt, 0.95);
    ASSERT_EQ(b.low.size(), kAt.size());
    EXPECT_TRUE(std::is_sorted(b.low.begin(), b.low.end()));
    EXPECT_TRUE(std::is_sorted(b.high.begin(), b.high.end()));
    bool all = true;
    for (std::size_t i = 0; i < kAt.size(); ++i) all = all && b.low[i] <= kAt[i] && kAt[i] <= b.high[i];
    missed += !all;
  }
  EXPECT_LE(missed, 5);
}

TEST(HonestBand, LeavesOutForecastsThatAreFarOff) {
  const Votes400 v = calibrated_votes(7, 6);
  const HonestBand b = honest_band({v.p, v.y, {}, {}, {}, true}, kAt, 0.95);
  EXPECT_LT(b.high[3], 0.5);  // the truth is 0.016
}

/// Reference: every run of the single votes that lie above, with its own bisection.
TEST(HonestBand, IsTheBestOfAllRuns) {
  const std::vector<double> p{0.1, 0.2, 0.3, 0.4}, y{0, 1, 1, 1};
  const double level = 0.9, cost = std::log(2 * 10 / (1 - level));
  const auto upper = [&](double hits, double n) {
    double best = 0;
    for (double q = hits / n; q <= 1; q += 1e-5) {
      const double a = hits / n;
      const double kl =
          (a > 0 ? a * std::log(a / q) : 0) + (a < 1 ? (1 - a) * std::log((1 - a) / (1 - q)) : 0);
      if (n * kl <= cost) best = q;
    }
    return best;
  };
  double want = 1;
  for (int first = 0; first < 4; ++first)
    for (int last = first; last < 4; ++last) {
      double hits = 0;
      for (int i = first; i <= last; ++i) hits += y[i];
      want = std::min(want, upper(hits, last - first + 1));
    }
  const HonestBand b = honest_band({p, y, {}, {}, {}, true}, std::vector<double>{0.1}, level);
  EXPECT_NEAR(b.high[0], want, 1e-4);
  EXPECT_EQ(b.low[0], 0);
}

TEST(HonestBand, EdgesAndTies) {
  EXPECT_TRUE(honest_band({}, kAt, 0.95).low.empty());
  const std::vector<double> p(50, 0.5), y(50, 1);
  const HonestBand b = honest_band({p, y, {}, {}, {}, true}, std::vector<double>{0.5}, 0.95);
  EXPECT_EQ(b.high[0], 1);
  EXPECT_NEAR(b.low[0], std::exp(-std::log(2 / 0.05) / 50), 1e-9);  // n log(1/q) = log(1/alpha)
}

TEST(HonestBand, DependentVotesCountForLess) {
  const Votes400 v = calibrated_votes(3, 1.2);
  const ForecastsView single{v.p, v.y, {}, {}, {}, true};
  const HonestBand plain = honest_band(single, kAt, 0.95);
  std::vector<double> hits, trials;
  for (const double y : v.y) hits.push_back(3 * y), trials.push_back(3);
  const HonestBand tripled = honest_band({v.p, hits, trials, {}, {}, true}, kAt, 0.95, 3);
  for (std::size_t i = 0; i < kAt.size(); ++i) {
    EXPECT_NEAR(plain.low[i], tripled.low[i], 1e-12);
    EXPECT_NEAR(plain.high[i], tripled.high[i], 1e-12);
  }
}

TEST(HonestBand, Dependence) {
  const Votes400 v = calibrated_votes(3, 1.2);
  const ForecastsView single{v.p, v.y, {}, {}, {}, true};
  const double one = vote_dependence(single, {}, 0);
  EXPECT_GE(one, 1);
  EXPECT_LT(one, 1.1);
  // Votes that all say the same are one vote.
  std::vector<double> hits, trials;
  for (const double y : v.y) hits.push_back(3 * y), trials.push_back(3);
  EXPECT_NEAR(vote_dependence({v.p, hits, trials, {}, {}, true}, {}, 0), 3 * one, 1e-4);
  // Weights of one half: a vote is half a vote.
  const std::vector<double> half(v.p.size(), 0.5);
  EXPECT_NEAR(vote_dependence({v.p, v.y, {}, half, {}, true}, {}, 0), 0.5 * one, 1e-4);
  // Rows that stand there twice, in pairs and apart.
  std::vector<double> p2, y2;
  std::vector<std::uint32_t> pair, own;
  for (std::size_t i = 0; i < 2 * v.p.size(); ++i) {
    p2.push_back(v.p[i / 2]), y2.push_back(v.y[i / 2]);
    pair.push_back(static_cast<std::uint32_t>(i / 2)), own.push_back(static_cast<std::uint32_t>(i));
  }
  const ForecastsView twice{p2, y2, {}, {}, {}, true};
  EXPECT_NEAR(vote_dependence(twice, pair, v.p.size()), 2 * one, 0.02);
  EXPECT_NEAR(vote_dependence(twice, own, p2.size()), one, 0.02);
  EXPECT_EQ(vote_dependence({}, {}, 0), 1);
}

}  // namespace
}  // namespace plumb
