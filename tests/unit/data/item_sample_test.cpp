#include "plumb/data/item_sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

/// p = row / n, and one vote of every rater.
Items set_of(std::int64_t n, std::int64_t raters, int value) {
  std::vector<double> p;
  for (std::int64_t i = 0; i < n; ++i) p.push_back(static_cast<double>(i) / static_cast<double>(n));
  std::vector<std::int32_t> votes(n * raters, value);
  Items out;
  out.predictions = Predictions({Rows(array_of(std::move(p), {n}, "p"))}, Scale::probability);
  out.votes = Votes::from_ratings(Rows(array_of(std::move(votes), {n, raters}, "v")), 2);
  return out;
}

std::vector<double> column(const Rows& rows) {
  std::vector<double> out(rows.rows() * rows.width());
  rows.read(0, rows.rows(), out);
  return out;
}

TEST(ItemSample, WhatFitsIsTakenWholeAndInOrder) {
  ItemSample sample(1000, 3);
  sample.add("a", "x", set_of(10, 2, 1), {"r1", "r2"});
  const std::vector<std::int64_t> numbers{50, 40, 30, 20};
  sample.add("b", "y", set_of(4, 1, 0), {"r3"}, numbers);
  const ItemSample::Taken t = sample.finish();
  EXPECT_EQ(sample.seen(), 14);
  ASSERT_EQ(t.items.size(), 14);
  EXPECT_EQ(t.items.votes.raters(), 3);
  const std::vector<double> p = column(t.items.predictions.sources().front());
  EXPECT_EQ(p[9], 0.9);
  EXPECT_EQ(p[11], 0.25);
  std::vector<std::int32_t> votes;
  t.items.votes.read_ratings(9, 11, votes);
  EXPECT_EQ(votes, (std::vector<std::int32_t>{1, 1, -1, -1, -1, 0}));
  EXPECT_EQ(t.rows[9].row, 9);
  EXPECT_EQ(t.rows[11].set, 1U);
  EXPECT_EQ(t.rows[11].row, 40);
  EXPECT_EQ(t.items.groups.name(9), "x");
  EXPECT_EQ(t.items.groups.name(10), "y");
}

/// Any order of the sets takes the same rows, and never more than was asked for.
TEST(ItemSample, ChoiceDependsOnSeedSetAndRowAlone) {
  std::set<std::pair<std::string, std::int64_t>> taken[3];
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  for (int k = 0; k < 3; ++k) {
    ItemSample sample(500, k == 2 ? 9 : 8);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[k == 1 ? names.size() - 1 - i : i];
      sample.add(name, name, set_of(300 + 10 * (name[0] - 'a'), 2, 1), {"r1", "r2"});
    }
    const ItemSample::Taken t = sample.finish();
    EXPECT_EQ(t.items.size(), 500);
    for (std::int64_t i = 0; i < 500; ++i) taken[k].emplace(t.items.groups.name(i), t.rows[i].row);
    EXPECT_EQ(taken[k].size(), 500U);
  }
  EXPECT_EQ(taken[0], taken[1]);
  EXPECT_NE(taken[0], taken[2]);
}

/// Law: every item has the same chance, whatever its set and place. 400 seeds, bound of four standard errors.
TEST(ItemSample, EveryItemHasTheSameChance) {
  constexpr int kSeeds = 400, kMost = 60, kFirst = 150, kSecond = 50;
  int first = 0, late = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    ItemSample sample(kMost, seed);
    sample.add("a", "a", set_of(kFirst, 1, 1), {"r"});
    sample.add("b", "b", set_of(kSecond, 1, 1), {"r"});
    for (const ItemSample::Row& row : sample.finish().rows) {
      first += row.set == 0;
      late += row.set == 0 && row.row >= 100;
    }
  }
  const double n = 1.0 * kSeeds * kMost;
  EXPECT_NEAR(first / n, 0.75, 4 * std::sqrt(0.75 * 0.25 / n));
  EXPECT_NEAR(late / n, 0.25, 4 * std::sqrt(0.25 * 0.75 / n));
}

TEST(ItemSample, OtherClassesAreRefused) {
  ItemSample sample(10, 0);
  sample.add("a", "a", set_of(3, 1, 1), {"r"});
  Items three;
  three.predictions =
      Predictions({Rows(array_of(std::vector<double>(9, 1.0 / 3), {3, 3}, "p"))}, Scale::probability);
  three.votes = Votes::from_ratings(Rows(array_of(std::vector<std::int32_t>(3, 2), {3, 1}, "v")), 3);
  EXPECT_THROW(sample.add("b", "b", three, {"r"}), InputError);
}

}  // namespace
}  // namespace plumb
