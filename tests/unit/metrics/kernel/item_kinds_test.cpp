#include "plumb/metrics/kernel/item_kinds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "plumb/numeric/random.hpp"

namespace plumb::test {
namespace {

struct Votes {
  std::vector<double> p, hits, trials;
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, {}, {}, true}; }
};

/// Over-confident forecasts with ties and with 0 and 1.
Votes some_votes(std::size_t n, int most_votes) {
  Votes out;
  RandomStream rng(5, Purpose::demo);
  for (std::size_t i = 0; i < n; ++i) {
    const double q = rng.uniform();
    out.p.push_back(i % 3 == 0 ? std::round(q * 20) / 20 : q);
    const int votes = 1 + static_cast<int>(rng.below(most_votes));
    int hits = 0;
    for (int v = 0; v < votes; ++v) hits += rng.uniform() < 0.25 + 0.5 * q;
    out.trials.push_back(votes);
    out.hits.push_back(hits);
  }
  return out;
}

void expect_same(const VoteBandwidths& a, const VoteBandwidths& b) {
  EXPECT_EQ(a.error.value, b.error.value);
  EXPECT_EQ(a.error.objective, b.error.objective);
  EXPECT_EQ(a.curve.value, b.curve.value);
  EXPECT_EQ(a.error.why, b.error.why);
}

// One vote each, several, and none: the search sees the same items.
TEST(ItemKinds, ChooseTheBandwidthOfTheItems) {
  for (const int most : {1, 4}) {
    const Votes votes = some_votes(3000, most);
    ItemKinds odd, even, many;
    for (std::size_t i = 0; i < votes.p.size(); ++i)
      (i % 2 == 0 ? even : odd)
          .add(votes.p[i], static_cast<std::uint32_t>(votes.trials[i]),
               static_cast<std::uint32_t>(votes.hits[i]));
    even.merge(odd);
    expect_same(vote_bandwidths(even), vote_bandwidths(votes.view(), 1));
    for (const ItemKind& kind : even.sorted()) many.add(kind);
    EXPECT_EQ(many.sorted(), even.sorted());
  }
  expect_same(vote_bandwidths(ItemKinds()), vote_bandwidths(ForecastsView{}, 1));
}

TEST(ItemKinds, ManyOfAKindAreOneByOne) {
  const Votes votes = some_votes(500, 1);
  ItemKinds one_by_one, many;
  for (const double p : votes.p) one_by_one.add(p, 3, 1);
  many.add(votes.p, 3, 1);
  EXPECT_EQ(many.sorted(), one_by_one.sorted());
}

TEST(ItemKinds, WhatIsNoKindIsRefused) {
  ItemKinds kinds;
  EXPECT_THROW(kinds.add(ItemKind{5000, 1, 0, 1}), std::invalid_argument);
  EXPECT_THROW(kinds.add(ItemKind{1, 1, 2, 1}), std::invalid_argument);
  EXPECT_THROW(kinds.add(ItemKind{1, 0, 0, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace plumb::test
