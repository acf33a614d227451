#include "resample/many_votes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "plumb/resample/null_model.hpp"
#include "plumb/resample/vote_counts.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

using detail::draw_binomial;
using detail::draw_votes_by_class;
using detail::reciprocal_sum;

TEST(ManyVotes, SumOfReciprocals) {
  for (const double x : {0.0, 1e-9, 0.3, 7.0, 1234.5, 1e6})
    for (const std::uint32_t m : {0u, 1u, 32u, 33u, 500u, 200'000u}) {
      long double naive = 0;
      for (std::uint32_t j = m; j > 0; --j) naive += 1 / (static_cast<long double>(x) + j);
      // Roundings of the first terms and a remainder below 1e-14; the logarithm of a ratio near 1 is rounded.
      const double tolerance = 2e-13 * static_cast<double>(naive) + 4e-16;
      EXPECT_NEAR(reciprocal_sum(x, m), static_cast<double>(naive), tolerance) << "x " << x << ", m " << m;
    }
}

struct Moments {
  double mean = 0, variance = 0;
  explicit Moments(const std::vector<double>& x) {
    for (const double a : x) mean += a / static_cast<double>(x.size());
    for (const double a : x) variance += (a - mean) * (a - mean) / static_cast<double>(x.size() - 1);
  }
};

TEST(ManyVotes, BinomialCounts) {
  constexpr int kDraws = 4000;
  for (const std::uint32_t n : {50u, 5000u, 200'000u})
    for (const double p : {1e-5, 0.02, 0.3, 0.5, 0.97}) {
      RandomStream random(n, Purpose::null_votes, static_cast<std::uint32_t>(1e6 * p));
      std::vector<double> x;
      double none = 0;
      for (int i = 0; i < kDraws; ++i) {
        x.push_back(draw_binomial(n, p, random));
        ASSERT_LE(x.back(), n);
        none += x.back() == 0 ? 1.0 / kDraws : 0;
      }
      const Moments m(x);
      const double variance = n * p * (1 - p), no_hit = std::exp(n * std::log1p(-p));
      // Four standard errors; that of a variance is sqrt(2/N), and larger for rare events.
      EXPECT_NEAR(m.mean, n * p, 4 * std::sqrt(variance / kDraws)) << "n " << n << ", p " << p;
      EXPECT_NEAR(m.variance, variance, 4 * std::sqrt((2 + 1 / variance) / kDraws) * variance)
          << "n " << n << ", p " << p;
      EXPECT_NEAR(none, no_hit, 4 * std::sqrt(no_hit * (1 - no_hit) / kDraws) + 1e-12)
          << "n " << n << ", p " << p;
    }
  RandomStream random(1, Purpose::null_votes);
  EXPECT_EQ(draw_binomial(70'000, 0, random), 0u);
  EXPECT_EQ(draw_binomial(70'000, 1, random), 70'000u);
  EXPECT_EQ(draw_binomial(0, 0.5, random), 0u);
}

TEST(ManyVotes, SharesAreDirichlet) {
  constexpr int kDraws = 4000;
  constexpr std::uint32_t kVotes = 20'000;
  const std::vector<double> chance{0.1, 0, 0.2, 0.3};  // the most probable class, of 0.4, is drawn before
  const double rest = 0.6;
  for (const double d : {0.0, 0.01, 0.2, 0.999}) {
    RandomStream random(static_cast<std::uint64_t>(1000 * d), Purpose::null_votes);
    std::vector<std::vector<double>> share(chance.size());
    std::vector<std::uint32_t> count;
    for (int i = 0; i < kDraws; ++i) {
      draw_votes_by_class(chance, d, kVotes, random, count);
      ASSERT_EQ(std::accumulate(count.begin(), count.end(), 0u), kVotes);
      EXPECT_EQ(count[1], 0u);
      for (std::size_t k = 0; k < count.size(); ++k) share[k].push_back(1.0 * count[k] / kVotes);
    }
    // Of the classes left the concentration is s (1 - 0.4): two of their votes are correlated by 1/(1
    // + that).
    const double among = d == 0 ? 0 : 1 / (1 + (1 - d) / d * rest);
    for (const std::size_t k : {0u, 2u, 3u}) {
      const double p = chance[k] / rest, variance = p * (1 - p) * (among + (1 - among) / kVotes);
      const Moments m(share[k]);
      EXPECT_NEAR(m.mean, p, 4 * std::sqrt(variance / kDraws)) << "d " << d << ", class " << k;
      EXPECT_NEAR(m.variance, variance, 0.12 * variance) << "d " << d << ", class " << k;
    }
  }
}

/// P(count <= c) of a beta-binomial count, by log-gamma functions of the C library.
double naive_upto(double c, double n, double p, double d) {
  const double s = (1 - d) / d, a = s * p, b = s * (1 - p);
  double sum = 0;
  for (double h = 0; h <= c; ++h)
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(h + 1) - std::lgamma(n - h + 1) + std::lgamma(a + h) +
                    std::lgamma(b + n - h) - std::lgamma(n + s) + std::lgamma(s) - std::lgamma(a) -
                    std::lgamma(b));
  return sum;
}

TEST(ManyVotes, HitsAreFoundFromTheMarks) {
  constexpr double kVotes = 9000;
  for (const double d : {1e-4, 0.05, 0.6})
    for (const double chance : {0.003, 0.3, 0.5, 0.8}) {
      const std::vector<double> p{0.4, chance, 0.2}, hits{0, 0, 0}, trials{3, kVotes, 1};
      const ForecastsView f{p, hits, trials, {}, {}, true};
      VoteCounts votes, again;
      VoteMarksCache cache;
      votes.plan(f, std::span(&d, 1), &cache);
      again.plan(f, std::span(&d, 1), &cache);
      EXPECT_EQ(votes.hits(f, 1, 0.4), again.hits(f, 1, 0.4));
      double last = kVotes;
      for (const double u : {0.0, 1e-6, 0.01, 0.2, 0.37, 0.5, 0.8, 0.99, 1 - 1e-9}) {
        const double h = votes.hits(f, 1, u);
        EXPECT_LE(h, last);
        last = h;
        // h hits where P(more than h) <= u < P(h or more); lgamma is off by 1e-9 here.
        constexpr double kTolerance = 1e-7;
        const double above = 1 - naive_upto(h, kVotes, chance, d);
        const double from = h == 0 ? 1 : 1 - naive_upto(h - 1, kVotes, chance, d);
        EXPECT_LE(above, u + kTolerance) << "d " << d << ", p " << chance << ", u " << u;
        EXPECT_GE(from, u - kTolerance) << "d " << d << ", p " << chance << ", u " << u;
      }
    }
}

TEST(ManyVotes, CorrelationOfThousandsOfVotes) {
  constexpr double kConcentration = 4;
  RandomStream random(5, Purpose::demo);
  Simulated many;
  double naive = 0, best = -INFINITY;
  std::vector<double> ones;
  for (int i = 0; i < 60; ++i) {
    const double p = 0.1 + 0.8 * random.uniform();
    const double a = random.gamma(kConcentration * p), b = random.gamma(kConcentration * (1 - p));
    ones.push_back(draw_binomial(10'000, a / (a + b), random));
    many.z.push_back(p);
    many.votes.emplace_back(10'000, 0);
    std::fill_n(many.votes.back().begin(), static_cast<int>(ones.back()), 1);
  }
  for (double d = 0.05; d < 0.5; d += 0.001) {
    const double s = (1 - d) / d;
    double sum = 0;
    for (std::size_t i = 0; i < ones.size(); ++i) {
      const double p = many.z[i];
      sum += std::lgamma(s * p + ones[i]) - std::lgamma(s * p) + std::lgamma(s * (1 - p) + 10'000 - ones[i]) -
             std::lgamma(s * (1 - p)) + std::lgamma(s) - std::lgamma(s + 10'000);
    }
    if (sum > best) best = sum, naive = d;
  }
  EXPECT_NEAR(fit_vote_correlation(to_items(many, VoteForm::counts), 1), naive, 0.001);
}

}  // namespace
}  // namespace plumb::test
