#include "plumb/simulate/regression_images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/data/check.hpp"
#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

struct Drawn {
  RegressionImage item;
  std::vector<std::uint8_t> image;
};

Drawn drawn(const RegressionImageOptions& o, std::int64_t item) {
  Drawn d{{}, std::vector<std::uint8_t>(static_cast<std::size_t>(o.size * o.size))};
  d.item = draw_regression_image(o, item, d.image);
  return d;
}

TEST(RegressionImages, Fingerprints) {
  EXPECT_EQ(fingerprint(drawn({}, 0).image), 13128126028152736643u);
  EXPECT_EQ(fingerprint(drawn({.outputs = 2, .size = 48, .seed = 3}, 17).image), 31951823374544505u);
}

TEST(RegressionImages, DependOnSeedAndItem) {
  const Drawn a = drawn({.seed = 1}, 5);
  EXPECT_EQ(a.image, drawn({.seed = 1}, 5).image);
  EXPECT_EQ(a.item.target, drawn({.seed = 1}, 5).item.target);
  EXPECT_NE(a.image, drawn({.seed = 1}, 6).image);
  EXPECT_NE(a.image, drawn({.seed = 2}, 5).image);
}

// Law: (target - mean) / sd is standard normal, whatever the variance.
TEST(RegressionImages, TargetsScatterAsSaid) {
  for (const int outputs : {1, 2}) {
    std::array<Sample, 2> clear, unclear;
    for (std::int64_t i = 0; i < 4000; ++i) {
      const RegressionImage item = drawn({.outputs = outputs, .size = 16, .seed = 4}, i).item;
      for (std::size_t k = 0; k < static_cast<std::size_t>(outputs); ++k) {
        ASSERT_GT(item.variance[k], 0);
        ASSERT_TRUE(item.mean[k] >= 0 && item.mean[k] <= 1);
        const double limit = outputs == 1 ? 0.0064 : 0.0004;
        (item.variance[k] < limit ? clear : unclear)[k].add((item.target[k] - item.mean[k]) /
                                                            std::sqrt(item.variance[k]));
      }
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(outputs); ++k) {
      for (const Sample& z : {clear[k], unclear[k]}) {
        ASSERT_GT(z.items(), 500);
        EXPECT_NEAR(z.mean(), 0, kSigmas / std::sqrt(z.items())) << outputs << " " << k;
        EXPECT_NEAR(z.variance(), 1, kSigmas * std::sqrt(2.0 / z.items())) << outputs << " " << k;
      }
    }
  }
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  Sample x, y;
  double cross = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    x.add(a[i]);
    y.add(b[i]);
    cross += a[i] * b[i] / static_cast<double>(a.size());
  }
  return (cross - x.mean() * y.mean()) / std::sqrt(x.variance() * y.variance());
}

// Law: the noise of the target can be seen, as a lack of contrast.
TEST(RegressionImages, VarianceShowsInTheImage) {
  for (const int outputs : {1, 2}) {
    std::vector<double> sd, contrast;
    for (std::int64_t i = 0; i < 400; ++i) {
      const Drawn d = drawn({.outputs = outputs, .seed = 5}, i);
      Sample level;
      for (const std::uint8_t p : d.image) level.add(p);
      sd.push_back(std::sqrt(d.item.variance[0]));
      contrast.push_back(std::sqrt(level.variance()));
    }
    EXPECT_LT(correlation(sd, contrast), -0.4) << outputs;
  }
}

// Law: the mean can be seen. One output: per stain, tumour cells darken. Two: the tip lies where the shaft
// ends, so that the bright pixels' centre moves with it.
TEST(RegressionImages, MeanShowsInTheImage) {
  std::vector<double> share, dark, tip, centre;
  for (std::int64_t i = 0; i < 600; ++i) {
    const Drawn cells = drawn({.seed = 6}, i), tool = drawn({.outputs = 2, .seed = 6}, i);
    Sample level;
    for (const std::uint8_t p : cells.image) level.add(p);
    if (cells.item.variance[0] < 0.0064) {
      share.push_back(cells.item.mean[0]);
      dark.push_back(-level.mean());
    }
    double weight = 0, sum = 0;
    for (std::size_t k = 0; k < tool.image.size(); ++k) {
      const double bright = std::max(0, tool.image[k] - 160);
      weight += bright;
      sum += bright * (static_cast<double>(k % 32) + 0.5) / 32;
    }
    if (weight > 0 && tool.item.variance[0] < 0.0002) {
      tip.push_back(tool.item.mean[0]);
      centre.push_back(sum / weight);
    }
  }
  ASSERT_GT(tip.size(), 100u);
  EXPECT_GT(correlation(share, dark), 0.5);
  EXPECT_GT(correlation(tip, centre), 0.5);
}

TEST(RegressionImages, BadArguments) {
  std::vector<std::uint8_t> room(1024);
  EXPECT_THROW(static_cast<void>(draw_regression_image({.outputs = 3}, 0, room)), InputError);
  EXPECT_THROW(static_cast<void>(draw_regression_image({.size = 15}, 0, room)), InputError);
  EXPECT_THROW(static_cast<void>(draw_regression_image({.size = 16}, 0, room)), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
