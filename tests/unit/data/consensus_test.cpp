// The majority label under each rule for ties, against the definition written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plumb/data/items.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

Items with_counts(const std::vector<double>& counts, int classes, std::vector<double> weights = {}) {
  const std::int64_t n = std::ssize(counts) / classes;
  Items items;
  items.predictions = Predictions(
      {Rows(array_of(std::vector<double>(n * classes, 1.0 / classes), {n, std::int64_t{classes}}, "p"))},
      Scale::probability);
  items.votes = Votes::from_counts(Rows(array_of(counts, {n, std::int64_t{classes}}, "c.npy")), classes);
  if (!weights.empty()) items.weights = Rows(array_of(std::move(weights), {n}, "w"));
  return items;
}

/// (row of the item, class) -> weight.
std::map<std::pair<std::int64_t, std::uint32_t>, double> label_weights(const Items& majority) {
  std::map<std::pair<std::int64_t, std::uint32_t>, double> out;
  ItemBlock block;
  read_items(majority, 0, majority.size(), block);
  const std::int64_t n = majority.size() - std::ssize(majority.repeats);
  for (std::int64_t i = 0; i < majority.size(); ++i) {
    if (block.votes.votes(i) == 0) continue;
    out[{i < n ? i : majority.repeats[i - n], static_cast<std::uint32_t>(block.votes.majority(i))}] +=
        block.weight.empty() ? 1.0 : block.weight[i];
  }
  return out;
}

// Items: clear, tie of two, no votes, tie of three, two votes that agree.
const std::vector<double> kCounts = {0, 3, 1, 2, 2, 0, 0, 0, 0, 1, 1, 1, 0, 0, 2};
using Weights = std::map<std::pair<std::int64_t, std::uint32_t>, double>;

TEST(Consensus, HalfSharesTheItem) {
  for (const int threads : {1, 2, 16}) {
    const Consensus c = consensus(with_counts(kCounts, 3), {Ties::half}, threads);
    EXPECT_EQ(c.tied, 2);
    EXPECT_EQ(c.most_votes, 4u);
    EXPECT_EQ(label_weights(c.items), (Weights{{{0, 1}, 1.0},
                                               {{1, 0}, 0.5},
                                               {{1, 1}, 0.5},
                                               {{3, 0}, 1 / 3.0},
                                               {{3, 1}, 1 / 3.0},
                                               {{3, 2}, 1 / 3.0},
                                               {{4, 2}, 1.0}}));
    check_items(c.items);
    // Rows of one item are one unit.
    const Units units(c.items);
    EXPECT_EQ(units.count(), 5);
    for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(units.unit_of(i), static_cast<std::uint64_t>(i));
    EXPECT_EQ(units.unit_of(5), 1u);
    EXPECT_EQ(units.unit_of(7), 3u);
  }
  const Consensus weighted = consensus(with_counts({1, 1, 2, 0}, 2, {3.0, 5.0}), {Ties::half}, 1);
  EXPECT_EQ(label_weights(weighted.items), (Weights{{{0, 0}, 1.5}, {{0, 1}, 1.5}, {{1, 0}, 5.0}}));
}

TEST(Consensus, GroupsAndTruthFollowTheItem) {
  Items items = with_counts({1, 1, 2, 0, 0, 1}, 2);
  items.groups = Names(Rows(array_of(std::vector<std::string>{"b", "a", "b"}, {3}, "g")));
  items.truth = Rows(array_of(std::vector<double>{0.1, 0.2, 0.3}, {3}, "t"));
  const Items c = consensus(items, {Ties::half}, 1).items;
  ASSERT_EQ(c.size(), 4);
  check_items(c);
  EXPECT_EQ(c.groups.name(3), "b");
  ItemBlock block;
  read_items(c, 0, 4, block);
  EXPECT_EQ(block.truth[3], 0.1);
  EXPECT_EQ(Units(c).unit_of(3), Units(c).unit_of(0));
}

TEST(Consensus, TheOtherRules) {
  const Items items = with_counts(kCounts, 3);
  EXPECT_EQ(label_weights(consensus(items, {Ties::absent}, 2).items),
            (Weights{{{0, 1}, 1.0}, {{4, 2}, 1.0}}));
  EXPECT_EQ(label_weights(consensus(items, {Ties::lowest}, 2).items),
            (Weights{{{0, 1}, 1.0}, {{1, 0}, 1.0}, {{3, 0}, 1.0}, {{4, 2}, 1.0}}));
  std::vector<int> seen(3);
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const auto& [at, w] : label_weights(consensus(items, {Ties::random, seed}, 1).items))
      if (at.first == 3) ++seen[at.second];
  for (const int n : seen) EXPECT_NEAR(n, 100, 35);  // four standard deviations
  const Consensus one = consensus(items, {Ties::random, 5}, 1),
                  many = consensus(items, {Ties::random, 5}, 16);
  EXPECT_EQ(label_weights(one.items), label_weights(many.items));
}

TEST(Consensus, WithoutTiesEveryRuleIsTheSame) {
  std::vector<double> many(300, 0.0);
  many[299] = 2;
  for (const Ties t : {Ties::half, Ties::absent, Ties::lowest, Ties::random}) {
    const Consensus c = consensus(with_counts(many, 300), {t}, 1);
    EXPECT_EQ(label_weights(c.items), (Weights{{{0, 299}, 1.0}}));
    EXPECT_TRUE(c.items.repeats.empty());
    EXPECT_TRUE(c.items.weights.empty());
    EXPECT_EQ(consensus(with_counts({}, 2), {t}, 1).items.size(), 0);
  }
}

TEST(Consensus, ShareOfAClass) {
  const std::vector<std::uint32_t> tie{0, 2, 5}, one{4}, none;
  EXPECT_EQ(majority_share(tie, 2, {Ties::half}, 0), 1 / 3.0);
  EXPECT_EQ(majority_share(tie, 1, {Ties::half}, 0), 0);
  EXPECT_EQ(majority_share(tie, 2, {Ties::absent}, 0), -1);
  EXPECT_EQ(majority_share(tie, 0, {Ties::lowest}, 0), 1);
  EXPECT_EQ(majority_share(tie, 2, {Ties::lowest}, 0), 0);
  for (const std::uint32_t c : {0u, 2u, 5u}) EXPECT_LE(majority_share(tie, c, {Ties::random, 3}, 7), 1);
  EXPECT_EQ(majority_share(one, 4, {Ties::half}, 0), 1);
  EXPECT_EQ(majority_share(one, 0, {Ties::half}, 0), 0);
  EXPECT_LT(majority_share(none, 0, {Ties::half}, 0), 0);
}

}  // namespace
}  // namespace plumb::test
