#include "train/augment.hpp"

#include <gtest/gtest.h>

namespace plumb::train {
namespace {

// Bilinear weights at whole pixels miss 0 and 1 by float32 rounding.
constexpr double kPixelTolerance = 1e-3;

torch::Tensor ramp(std::int64_t n, std::int64_t height, std::int64_t width) {
  return torch::arange(height * width, torch::kFloat32).reshape({1, 1, height, width}).repeat({n, 1, 1, 1});
}

double furthest(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<double>(); }

TEST(Augment, NothingAskedNothingDone) {
  const torch::Tensor x = ramp(2, 6, 8);
  EXPECT_TRUE(torch::equal(augment(x, {}, 1), x));
}

TEST(Augment, EveryImageIsFlippedOrNotAndBothOccur) {
  const torch::Tensor x = ramp(40, 6, 8), y = augment(x, {.flip = true}, 3);
  int flipped = 0;
  for (std::int64_t i = 0; i < 40; ++i) {
    const bool mirror = furthest(y[i], x[i].flip(2)) < kPixelTolerance;
    EXPECT_TRUE(mirror || furthest(y[i], x[i]) < kPixelTolerance) << i;
    flipped += mirror ? 1 : 0;
  }
  EXPECT_GT(flipped, 8);
  EXPECT_LT(flipped, 32);
}

TEST(Augment, ShiftsAreWholePixelsWithinReach) {
  const torch::Tensor x = ramp(60, 9, 9), y = augment(x, {.shift = 2}, 5);
  bool moved = false;
  for (std::int64_t i = 0; i < 60; ++i) {
    // In the middle a shift by (dx, dy) lowers the ramp by dx + 9 dy.
    const double change = x[i][0][4][4].item<double>() - y[i][0][4][4].item<double>();
    const double rounded = std::round(change);
    EXPECT_NEAR(change, rounded, kPixelTolerance);
    const double dy = std::round(rounded / 9), dx = rounded - 9 * dy;
    EXPECT_LE(std::abs(dx), 2);
    EXPECT_LE(std::abs(dy), 2);
    moved = moved || rounded != 0;
  }
  EXPECT_TRUE(moved);
}

TEST(Augment, RotationKeepsTheCentreAndTheSeedDecides) {
  torch::Tensor x = torch::zeros({8, 1, 11, 7});
  x.select(2, 5).select(2, 3).fill_(1);
  const torch::Tensor y = augment(x, {.rotation = 90}, 7);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_NEAR(y[i][0][5][3].item<double>(), 1, kPixelTolerance);
  const torch::Tensor a = torch::rand({4, 2, 8, 8});
  EXPECT_TRUE(torch::equal(augment(a, {.rotation = 30}, 9), augment(a, {.rotation = 30}, 9)));
  EXPECT_FALSE(torch::equal(augment(a, {.rotation = 30}, 9), augment(a, {.rotation = 30}, 10)));
}

/// Votes move with the image: where a whole pixel came from inside, image and votes tell of the same one.
TEST(Augment, VotesMoveWithTheImage) {
  const torch::Tensor x = ramp(30, 9, 9) + 1;
  for (const Augmentation& a : {Augmentation{.flip = true, .shift = 2}, Augmentation{.shift = 3}}) {
    const torch::Tensor moved = augment(x, a, 11), votes = augment_votes(x, a, 11);
    EXPECT_LT(furthest(torch::where(votes > 0, moved, votes), votes), kPixelTolerance);
    EXPECT_GT((votes == 0).sum().item<std::int64_t>(), 0) << "what came from outside has no votes";
    EXPECT_GT((votes > 0).to(torch::kFloat32).mean().item<double>(), 0.4);
  }
  const torch::Tensor turned = augment_votes(x, {.rotation = 30}, 4);
  EXPECT_TRUE(torch::equal(turned, turned.round())) << "votes stay whole";
  EXPECT_TRUE(torch::equal(augment_votes(x, {}, 1), x));
}

}  // namespace
}  // namespace plumb::train
