#include "plumb/simulate/segmentation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "plumb/data/check.hpp"
#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

struct Drawn {
  std::vector<std::uint8_t> image;
  std::vector<double> truth;
  std::vector<std::uint8_t> ratings;
};

Drawn drawn(const SegmentationOptions& o, std::int64_t item) {
  const auto pixels = static_cast<std::size_t>(o.size * o.size);
  Drawn d{std::vector<std::uint8_t>(pixels), std::vector<double>(pixels),
          std::vector<std::uint8_t>(pixels * static_cast<std::size_t>(o.raters))};
  draw_segmentation(o, item, d.image, d.truth, d.ratings);
  return d;
}

TEST(Segmentation, Fingerprints) {
  const Drawn d = drawn({.seed = 1}, 3);
  EXPECT_EQ(fingerprint(d.image), 4892793804846046329u);
  EXPECT_EQ(fingerprint(d.ratings), 11873457892364440388u);
}

TEST(Segmentation, DependOnSeedAndItem) {
  const Drawn a = drawn({.size = 32, .raters = 3, .seed = 1}, 5),
              more = drawn({.size = 32, .raters = 6, .seed = 1}, 5);
  EXPECT_EQ(a.image, more.image);
  EXPECT_EQ(a.truth, more.truth);
  EXPECT_TRUE(std::equal(a.ratings.begin(), a.ratings.end(), more.ratings.begin()))
      << "more raters begin with the fewer";
  EXPECT_NE(a.image, drawn({.size = 32, .raters = 3, .seed = 1}, 6).image);
  EXPECT_NE(a.truth, drawn({.size = 32, .raters = 3, .seed = 2}, 5).truth);
}

// Law: raters mark pixels as often as the truth says, in every range of it. Images are independent, the
// pixels of one are not: the image's gap is the unit.
TEST(Segmentation, VotesMatchTheKnownProbability) {
  constexpr int kImages = 400;
  std::array<Sample, 10> gap;
  for (std::int64_t i = 0; i < kImages; ++i) {
    const SegmentationOptions o{.size = 32, .raters = 4, .seed = 2};
    const Drawn d = drawn(o, i);
    std::array<double, 10> sum{};
    for (std::size_t k = 0; k < d.ratings.size(); ++k) {
      const double p = d.truth[k % d.truth.size()];
      sum[static_cast<std::size_t>(std::min(9.0, 10 * p))] += d.ratings[k] - p;
    }
    for (std::size_t b = 0; b < 10; ++b) gap[b].add(sum[b]);
  }
  for (std::size_t b = 0; b < 10; ++b)
    EXPECT_LT(std::abs(gap[b].mean()), kSigmas * gap[b].standard_error()) << "range " << b;
}

TEST(Segmentation, TheLesionIsInTheImageAndItsBorderUnclear) {
  for (std::int64_t i = 0; i < 50; ++i) {
    const Drawn d = drawn({.seed = 3}, i);
    Sample inside, outside;
    int unclear = 0;
    for (std::size_t k = 0; k < d.truth.size(); ++k) {
      ASSERT_TRUE(d.truth[k] >= 0 && d.truth[k] <= 1);
      if (d.truth[k] > 0.99) inside.add(d.image[k]);
      if (d.truth[k] < 0.01) outside.add(d.image[k]);
      unclear += d.truth[k] > 0.05 && d.truth[k] < 0.95 ? 1 : 0;
    }
    ASSERT_GT(inside.items(), 20) << i;
    EXPECT_GT(std::abs(inside.mean() - outside.mean()), 15) << i;
    EXPECT_GT(unclear, 20) << i;
    EXPECT_GT(outside.items(), 1500) << i;
    for (std::size_t k = 0; k < 64; ++k) ASSERT_LT(d.truth[k], 0.05) << "the lesion lies inside the image";
  }
}

// The pixels of one rater go together:
// the sizes of two raters' masks differ far more than independent pixels would let them.
TEST(Segmentation, BordersAreSmooth) {
  Sample ratio;
  for (std::int64_t i = 0; i < 200; ++i) {
    const Drawn d = drawn({.size = 32, .raters = 2, .seed = 4}, i);
    double gap = 0, variance = 0;
    for (std::size_t k = 0; k < d.truth.size(); ++k) {
      gap += d.ratings[k] - d.ratings[d.truth.size() + k];
      variance += 2 * d.truth[k] * (1 - d.truth[k]);
    }
    ratio.add(gap * gap / variance);
  }
  EXPECT_GT(ratio.mean(), 5);
}

TEST(Segmentation, BadArguments) {
  std::vector<std::uint8_t> image(256), ratings(512);
  std::vector<double> truth(256);
  EXPECT_THROW(draw_segmentation({.size = 15}, 0, image, truth, ratings), InputError);
  EXPECT_THROW(draw_segmentation({.size = 16, .raters = 0}, 0, image, truth, ratings), InputError);
  EXPECT_THROW(draw_segmentation({.size = 16, .raters = 3}, 0, image, truth, ratings), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
