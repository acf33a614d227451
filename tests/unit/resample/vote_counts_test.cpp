#include "plumb/resample/vote_counts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb {
namespace {

/// Reference: the beta-binomial chance of h hits by log-gamma functions of the C library.
double naive_chance(double h, double n, double p, double d) {
  const double s = (1 - d) / d, a = s * p, b = s * (1 - p);
  return std::exp(std::lgamma(n + 1) - std::lgamma(h + 1) - std::lgamma(n - h + 1) + std::lgamma(a + h) +
                  std::lgamma(b + n - h) - std::lgamma(n + s) + std::lgamma(s) - std::lgamma(a) -
                  std::lgamma(b));
}

struct OneItem {
  std::vector<double> p, hits{0}, trials;
  VoteCounts votes;
  OneItem(double chance, double n, double d) : p{chance}, trials{n} { votes.plan(view(), std::span(&d, 1)); }
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, {}, {}, true}; }
  [[nodiscard]] double draw(double u) const { return votes.hits(view(), 0, u); }
};

TEST(VoteCounts, HaveTheBetaBinomialChances) {
  for (const double d : {0.001, 0.2, 0.7, 0.99})
    for (const double p : {0.01, 0.3, 0.5, 0.8, 0.999})
      for (const double n : {2.0, 5.0, 17.0}) {
        const OneItem item(p, n, d);
        constexpr int kGrid = 20000;
        std::vector<double> share(static_cast<std::size_t>(n) + 1);
        for (int k = 0; k < kGrid; ++k)
          share[static_cast<std::size_t>(item.draw((k + 0.5) / kGrid))] += 1.0 / kGrid;
        std::vector<double> tail;
        item.votes.tails(item.view(), 0, tail);
        double above = 0;
        for (double h = n; h >= 0; --h) {
          const auto at = static_cast<std::size_t>(h);
          const double chance = naive_chance(h, n, p, d);
          EXPECT_NEAR(share[at], chance, 1.5 / kGrid) << "n " << n << " p " << p << " d " << d << " h " << h;
          above += chance;
          if (h > 0) {
            EXPECT_NEAR(tail[at - 1], above, 1e-9) << "n " << n << " p " << p << " d " << d << " h " << h;
          }
        }
      }
}

TEST(VoteCounts, FallAsTheNumberGrows) {
  for (const double p : {0.2, 0.7}) {
    const OneItem item(p, 9, 0.3);
    for (double u = 0, last = 9; u < 1; u += 0.001) {
      EXPECT_LE(item.draw(u), last);
      last = item.draw(u);
    }
  }
}

TEST(VoteCounts, LimitsAndEdges) {
  EXPECT_EQ(OneItem(0.3, 1, 0.5).draw(0.2999), 1);
  EXPECT_EQ(OneItem(0.3, 1, 0.5).draw(0.3), 0);
  EXPECT_EQ(OneItem(0.3, 0, 0.5).draw(0.1), 0);
  for (const double d : {0.0, 0.5, 1 - 1e-6})
    for (const double u : {0.0, 0.5, 1 - 0x1p-53}) {
      EXPECT_EQ(OneItem(0, 7, d).draw(u), 0);
      EXPECT_EQ(OneItem(1, 7, d).draw(u), 7);
    }
  // Independent votes are binomial; votes that agree are all or none.
  EXPECT_EQ(OneItem(0.5, 2, 0).draw(0.2499), 2);
  EXPECT_EQ(OneItem(0.5, 2, 0).draw(0.2501), 1);
  EXPECT_EQ(OneItem(0.5, 2, 0).draw(0.7501), 0);
  const OneItem agree(0.4, 6, 1 - 1e-6);
  EXPECT_EQ(agree.draw(0.399), 6);
  EXPECT_EQ(agree.draw(0.401), 0);
}

TEST(VoteCounts, ThousandsOfVotes) {
  // The chance of no hit is below the smallest double; the median is the middle all the same.
  for (const double p : {0.5, 0.3, 0.9}) {
    const OneItem item(p, 10000, 0);
    EXPECT_NEAR(item.draw(0.5), 10000 * p, 1);
    EXPECT_NEAR(item.draw(0.0228), 10000 * p + 2 * std::sqrt(10000 * p * (1 - p)), 2);
  }
}

}  // namespace
}  // namespace plumb
