#include "plumb/metrics/raters/rater_pairs.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

constexpr double kRounding = 1e-14;  // one division of sums that are exact or nearly so
constexpr int kRaters = 5;

struct Case {
  Items items;
  std::vector<std::int64_t> ratings;
  std::vector<double> weight;
};

/// Ratings with gaps anywhere; the last rater saw nothing.
Case simulate(std::int64_t n, bool weighted) {
  Case c;
  RandomStream rng(7, Purpose::demo, 3);
  for (std::int64_t i = 0; i < n; ++i) {
    for (int r = 0; r < kRaters; ++r)
      c.ratings.push_back(r == kRaters - 1 || rng.uniform() < 0.3 ? -1 : static_cast<int>(3 * rng.uniform()));
    c.weight.push_back(weighted ? (i % 5 == 0 ? 0 : rng.uniform()) : 1);
  }
  const std::vector<double> z(static_cast<std::size_t>(3 * n), 1.0 / 3);
  c.items.predictions = Predictions({Rows(array_of(z, {n, 3}, "probs.npy"))}, Scale::probability);
  c.items.votes = Votes::from_ratings(Rows(array_of(c.ratings, {n, kRaters}, "ratings.npy")), 3);
  if (weighted) c.items.weights = Rows(array_of(c.weight, {n}, "weights.npy"));
  return c;
}

TEST(RaterPairs, AgreesWithCounting) {
  for (const bool weighted : {false, true}) {
    const Case c = simulate(500, weighted);
    const auto pairs = rater_pairs(c.items, 1);
    ASSERT_EQ(pairs.size(), 10u);
    for (const RaterPair& p : pairs) {
      EXPECT_LT(p.rater, p.other);
      std::uint64_t items = 0, agree = 0;
      long double all = 0, alike = 0;
      for (std::size_t i = 0; i < c.weight.size(); ++i) {
        const auto mine = c.ratings[i * kRaters + static_cast<std::size_t>(p.rater)],
                   theirs = c.ratings[i * kRaters + static_cast<std::size_t>(p.other)];
        if (mine < 0 || theirs < 0 || c.weight[i] == 0) continue;
        ++items;
        agree += mine == theirs;
        all += c.weight[i];
        alike += mine == theirs ? c.weight[i] : 0;
      }
      EXPECT_EQ(p.items, items);
      EXPECT_EQ(p.agree, agree);
      ASSERT_EQ(p.share.has_value(), items > 0);
      if (items > 0) {
        EXPECT_NEAR(*p.share, static_cast<double>(alike / all), kRounding);
      }
    }
    EXPECT_FALSE(pairs.back().share) << "the last rater shares nothing with anybody";
  }
}

TEST(RaterPairs, SameBitsForAnyThreads) {
  const Case c = simulate(20000, true);
  const auto one = rater_pairs(c.items, 1), many = rater_pairs(c.items, 7);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].agree, many[i].agree);
    EXPECT_EQ(one[i].share, many[i].share);
  }
}

TEST(RaterPairs, NeedRatings) {
  Case c = simulate(3, false);
  c.items.votes = Votes::from_labels(Rows(array_of(std::vector<std::int64_t>{0, 1, 2}, {3}, "y.npy")), 3);
  EXPECT_THROW((void)rater_pairs(c.items, 1), InputError);
}

}  // namespace
}  // namespace plumb
