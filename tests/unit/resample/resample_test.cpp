#include "plumb/resample/resample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace plumb {
namespace {

std::vector<std::uint64_t> rows(std::size_t n) {
  std::vector<std::uint64_t> u(n);
  std::iota(u.begin(), u.end(), std::uint64_t{0});
  return u;
}

TEST(NullDraw, DrawnClassesFollowTheirProbabilities) {
  constexpr std::size_t kItems = 40000;
  ItemBlock block;
  block.size = kItems;
  block.classes = 3;
  block.z.width = 3;
  block.z.size = kItems;
  block.votes.single = true;
  block.votes.size = kItems;
  for (std::size_t i = 0; i < kItems; ++i) block.z.z.insert(block.z.z.end(), {0.2, 0.5, 0.3});
  NullDraw draw;
  const std::vector<std::uint64_t> all = rows(kItems);
  draw.draw({}, 4, 0, all, all);
  VoteBlock drawn;
  draw.classes(block, {}, VoteCounts(), drawn);
  std::vector<double> share(3);
  for (const auto c : drawn.cls) share[c] += 1.0 / kItems;
  const double expected[] = {0.2, 0.5, 0.3};
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(share[k], expected[k], 4 * std::sqrt(expected[k] * (1 - expected[k]) / kItems));

  // The top label's event is the same draw.
  const std::vector<double> p(kItems, 0.5);
  const std::vector<double> none(kItems, 0.0);
  std::vector<double> hits;
  draw.hits({p, none, {}, {}, {}, true}, VoteCounts(), hits);
  for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(hits[i] == 1, drawn.cls[i] == 1) << i;
}

TEST(NullDraw, VotesOfAnItemServeEventAndClasses) {
  constexpr std::size_t kItems = 20000;
  constexpr std::uint32_t kVotes = 4;
  constexpr double kCorrelation = 0.3;
  const double z[] = {0.2, 0.5, 0.3};
  ItemBlock block;
  block.size = kItems;
  block.classes = 3;
  block.z.width = 3;
  block.votes.size = kItems;
  block.votes.total.assign(kItems, kVotes);
  for (std::size_t i = 0; i < kItems; ++i) block.z.z.insert(block.z.z.end(), z, z + 3);
  const std::vector<double> p(kItems, 0.5), none(kItems), trials(kItems, kVotes);
  const ForecastsView event{p, none, trials, {}, {}, true};
  VoteCounts votes;
  votes.plan(event, std::span(&kCorrelation, 1));
  NullDraw draw;
  const std::vector<std::uint64_t> all = rows(kItems);
  draw.draw({.several = true, .vote_correlation = kCorrelation}, 4, 0, all, all);
  VoteBlock drawn;
  draw.classes(block, event, votes, drawn);
  std::vector<double> hits;
  draw.hits(event, votes, hits);
  double share[3] = {}, both[3] = {};  // votes, and pairs of votes, for each class
  for (std::size_t i = 0; i < kItems; ++i) {
    ASSERT_EQ(drawn.hits(i, 1), hits[i]) << "one draw";
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const double y = drawn.hits(i, k);
      sum += drawn.hits(i, k);
      share[k] += y / kVotes / kItems;
      both[k] += y * (y - 1) / (kVotes * (kVotes - 1)) / kItems;
    }
    ASSERT_EQ(sum, kVotes);
    for (std::uint32_t e = drawn.offset[i] + 1; e < drawn.offset[i + 1]; ++e)
      ASSERT_LT(drawn.cls[e - 1], drawn.cls[e]) << "ascending, each class once";
  }
  // Dirichlet-multinomial: two votes are both k with chance z (z + d (1 - z)).
  for (std::uint32_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(share[k], z[k], 0.01);
    EXPECT_NEAR(both[k], z[k] * (z[k] + kCorrelation * (1 - z[k])), 0.012) << k;
  }
}

TEST(NullDraw, ItemsOfAGroupMoveTogether) {
  constexpr std::size_t kItems = 40000;
  const std::vector<std::uint64_t> all = rows(kItems);
  std::vector<std::uint64_t> units(kItems);
  for (std::size_t i = 0; i < kItems; ++i) units[i] = 1000 + i / 2;
  const std::vector<double> p(kItems, 0.5), none(kItems);
  const ForecastsView event{p, none, {}, {}, {}, true};
  // All of the posterior near rho = 0.36: two medians agree with chance 1/2 + asin(rho) / pi.
  NullModel model{.grouped = true};
  model.groups = {0.36, {0.5999, 0.6001}, {0, 1}};
  NullDraw draw;
  draw.draw(model, 9, 2, all, units);
  std::vector<double> hits;
  draw.hits(event, VoteCounts(), hits);
  double agree = 0, mean = 0;
  for (std::size_t i = 0; i < kItems; i += 2) agree += hits[i] == hits[i + 1] ? 2.0 / kItems : 0;
  for (const double h : hits) mean += h / kItems;
  EXPECT_NEAR(agree, 0.5 + std::asin(0.36) / std::acos(-1.0), 0.012);
  EXPECT_NEAR(mean, 0.5, 0.012);
}

TEST(NullDraw, ItemsWithoutVotesStayWithout) {
  ItemBlock block;
  block.size = 3;
  block.classes = 2;
  block.z.width = 1;
  block.z.z = {0.5, 0.5, 0.5};
  block.votes.size = 3;
  block.votes.offset = {0, 1, 1, 2};
  block.votes.cls = {0, 1};
  block.votes.count = {1, 1};
  block.votes.total = {1, 0, 1};
  NullDraw draw;
  const std::vector<std::uint64_t> all = rows(3);
  draw.draw({}, 1, 0, all, all);
  VoteBlock drawn;
  draw.classes(block, {}, VoteCounts(), drawn);
  EXPECT_EQ(drawn.total, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(drawn.cls.size(), 2u);
}

}  // namespace
}  // namespace plumb
