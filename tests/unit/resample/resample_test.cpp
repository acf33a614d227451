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
  draw.draw(NullKind::labels, 4, 0, rows(kItems));
  VoteBlock drawn;
  draw.classes(block, drawn);
  std::vector<double> share(3);
  for (const auto c : drawn.cls) share[c] += 1.0 / kItems;
  const double expected[] = {0.2, 0.5, 0.3};
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(share[k], expected[k], 4 * std::sqrt(expected[k] * (1 - expected[k]) / kItems));

  // The top label's event is the same draw.
  const std::vector<double> p(kItems, 0.5);
  const std::vector<double> none(kItems, 0.0);
  std::vector<double> hits;
  draw.hits({p, none, {}, {}, {}, true}, hits);
  for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(hits[i] == 1, drawn.cls[i] == 1) << i;
}

TEST(NullDraw, SignsFlipTheResidualOfAUnitTogether) {
  const std::vector<double> p = {0.25, 0.5, 0.75};
  const std::vector<double> hits = {1, 3, 0};
  const std::vector<double> trials = {1, 4, 2};
  const std::vector<std::uint64_t> units = {7, 7, 9};
  bool flipped = false, kept = false;
  for (std::uint32_t r = 0; r < 40; ++r) {
    NullDraw draw;
    draw.draw(NullKind::signs, 1, r, units);
    ASSERT_EQ(draw.signs()[0], draw.signs()[1]) << "one unit, one sign";
    std::vector<double> out;
    draw.hits({p, hits, trials, {}, {}, true}, out);
    for (std::size_t i = 0; i < 3; ++i) {
      const double residual = hits[i] - trials[i] * p[i];
      EXPECT_DOUBLE_EQ(out[i], trials[i] * p[i] + draw.signs()[i] * residual);
    }
    (draw.signs()[0] > 0 ? kept : flipped) = true;
  }
  EXPECT_TRUE(flipped && kept);
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
  draw.draw(NullKind::labels, 1, 0, rows(3));
  VoteBlock drawn;
  draw.classes(block, drawn);
  EXPECT_EQ(drawn.total, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(drawn.cls.size(), 2u);
}

}  // namespace
}  // namespace plumb
