#include "plumb/resample/event_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb {
namespace {

// Reference: all outcomes of a few items.
PoissonBinomialTails enumerated(const std::vector<double>& p, int k) {
  PoissonBinomialTails out;
  for (unsigned set = 0; set < 1u << p.size(); ++set) {
    double chance = 1;
    int hits = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool hit = set >> i & 1;
      chance *= hit ? p[i] : 1 - p[i];
      hits += hit;
    }
    if (hits < k) out.below += chance;
    if (hits > k) out.above += chance;
  }
  return out;
}

TEST(EventRatio, TailsOfEveryOutcome) {
  const std::vector<double> p{0, 0.05, 0.2, 0.2, 0.5, 0.61, 0.9, 1};
  for (int k = 0; k <= static_cast<int>(p.size()); ++k) {
    const PoissonBinomialTails got = poisson_binomial_tails(p, k), want = enumerated(p, k);
    EXPECT_NEAR(got.below, want.below, 1e-15) << k;
    EXPECT_NEAR(got.above, want.above, 1e-15) << k;
  }
}

ForecastsView view(const std::vector<double>& p, const std::vector<double>& hits) {
  return {p, hits, {}, {}, {}, true};
}

// Equal forecasts: Clopper and Pearson's interval of a share, over the forecast. 3 of 20: [0.0321, 0.3789].
TEST(EventRatio, OfEqualForecastsIsClopperPearson) {
  const std::vector<double> p(20, 0.25);
  std::vector<double> hits(20, 0.0);
  hits[0] = hits[7] = hits[9] = 1;
  const Bounds b = *event_ratio_bounds(view(p, hits), 0.95);
  EXPECT_NEAR(b.low * 0.25, 0.0320709, 1e-6);
  EXPECT_NEAR(b.high * 0.25, 0.3789268, 1e-6);
}

TEST(EventRatio, AtItsBoundsTheObservedNumberIsImprobable) {
  std::vector<double> p, hits;
  for (int i = 0; i < 60; ++i) {
    p.push_back((i + 0.5) / 90);
    hits.push_back(i % 4 == 0);
  }
  const Bounds b = *event_ratio_bounds(view(p, hits), 0.9);
  double expected = 0;
  for (const double x : p) expected += x;
  EXPECT_LT(b.low, 15 / expected);
  EXPECT_GT(b.high, 15 / expected);
  // Odds times e^d whose expected number is that of a bound, found by its own search.
  const auto shifted = [&](double ratio) {
    double low = -20, high = 20;
    std::vector<double> q(p);
    for (int i = 0; i < 200; ++i) {
      const double d = (low + high) / 2;
      double sum = 0;
      for (std::size_t j = 0; j < p.size(); ++j)
        sum += q[j] = 1 / (1 + std::exp(-(std::log(p[j] / (1 - p[j])) + d)));
      (sum < ratio * expected ? low : high) = d;
    }
    return q;
  };
  EXPECT_NEAR(poisson_binomial_tails(shifted(b.low), 14).above, 0.05, 1e-6);
  EXPECT_NEAR(poisson_binomial_tails(shifted(b.high), 16).below, 0.05, 1e-6);
}

TEST(EventRatio, Edges) {
  const std::vector<double> p(10, 0.5), none(10, 0.0), all(10, 1.0);
  const Bounds zero = *event_ratio_bounds(view(p, none), 0.95),
               full = *event_ratio_bounds(view(p, all), 0.95);
  EXPECT_EQ(zero.low, 0);
  EXPECT_NEAR(zero.high * 0.5, 1 - std::pow(0.025, 0.1), 1e-9);
  EXPECT_EQ(full.high, 2);
  EXPECT_NEAR(full.low * 0.5, std::pow(0.025, 0.1), 1e-9);
  EXPECT_FALSE(event_ratio_bounds(view(none, none), 0.95));  // no factor moves a forecast of 0
  EXPECT_FALSE(event_ratio_bounds(view(all, all), 0.95));    // or of 1
  const std::vector<double> many(100'000, 0.5), half(100'000, 1.0);
  ForecastsView big = view(many, half);
  std::vector<double> hits(100'000);
  for (std::size_t i = 0; i < hits.size(); i += 2) hits[i] = 1;
  big.hits = hits;
  EXPECT_FALSE(event_ratio_bounds(big, 0.95));  // would take too long
  ForecastsView votes = view(p, none);
  votes.trials = all;
  EXPECT_FALSE(event_ratio_bounds(votes, 0.95));
}

}  // namespace
}  // namespace plumb
