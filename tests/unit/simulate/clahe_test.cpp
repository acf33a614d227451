#include "plumb/simulate/clahe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "plumb/simulate/faces.hpp"
#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

// A dim ramp with texture: levels 60 to 110.
std::vector<std::uint8_t> dim(int height, int width) {
  std::vector<std::uint8_t> out;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out.push_back(static_cast<std::uint8_t>(60 + (x + 2 * y) / 3 % 40 + (x * 7 + y * 13) % 11));
  return out;
}

std::vector<std::uint8_t> equalised(const std::vector<std::uint8_t>& in, int channels, int height, int width,
                                    ClaheOptions o) {
  std::vector<std::uint8_t> out(in.size());
  clahe(in, channels, height, width, o, out);
  return out;
}

// Reference, written apart: in double precision, from the definition. Tile t covers [floor(t H / T), floor((t
// + 1) H / T)); curves are blended by the distance to the tiles' nominal middles, (t + 1/2) H / T.
double curve_at(const std::vector<std::uint8_t>& in, int height, int width, ClaheOptions o, int tr, int tc,
                int level) {
  std::vector<double> counts(256, 0);
  double pixels = 0;
  for (int y = tr * height / o.tiles; y < (tr + 1) * height / o.tiles; ++y) {
    for (int x = tc * width / o.tiles; x < (tc + 1) * width / o.tiles; ++x) {
      counts[in[static_cast<std::size_t>(y * width + x)]] += 1;
      pixels += 1;
    }
  }
  const double limit = std::max(1.0, std::floor(o.clip_limit * pixels));
  double excess = 0, below = 0;
  for (const double c : counts) excess += std::max(0.0, c - limit);
  for (int g = 0; g <= level; ++g)
    below += std::min(counts[static_cast<std::size_t>(g)], limit) + excess / 256;
  return 255 * below / pixels;
}

double reference(const std::vector<std::uint8_t>& in, int height, int width, ClaheOptions o, int y, int x) {
  const auto place = [&](double at, int extent, int& first, int& second) {
    const double t = at * o.tiles / extent - 0.5;
    first = std::clamp(static_cast<int>(std::floor(t)), 0, o.tiles - 1);
    second = std::clamp(static_cast<int>(std::floor(t)) + 1, 0, o.tiles - 1);
    return t - std::floor(t);
  };
  int r0 = 0, r1 = 0, c0 = 0, c1 = 0;
  const double v = place(y + 0.5, height, r0, r1), h = place(x + 0.5, width, c0, c1);
  const int level = in[static_cast<std::size_t>(y * width + x)];
  const auto curve = [&](int r, int c) { return curve_at(in, height, width, o, r, c, level); };
  return (1 - v) * ((1 - h) * curve(r0, c0) + h * curve(r0, c1)) +
         v * ((1 - h) * curve(r1, c0) + h * curve(r1, c1));
}

TEST(Clahe, AgreesWithTheDefinition) {
  // Counts are whole: the spread excess is rounded to less than one pixel of 70 (255 / 70 levels),
  // the curve to half a level.
  constexpr double kLevels = 255.0 / 70 + 1;
  const int height = 37, width = 42;
  const auto in = dim(height, width);
  for (const double limit : {0.03, 0.1, 1.0}) {
    const ClaheOptions o{.tiles = 4, .clip_limit = limit};
    const auto out = equalised(in, 1, height, width, o);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        ASSERT_NEAR(out[static_cast<std::size_t>(y * width + x)], reference(in, height, width, o, y, x),
                    kLevels)
            << limit << " " << y << " " << x;
      }
    }
  }
}

// Golden, by hand: one tile, no clipping: level g becomes 255 times the share of pixels at or below g.
TEST(Clahe, OneTileUnclippedIsHistogramEqualisation) {
  const std::vector<std::uint8_t> in{10, 10, 20, 200};
  EXPECT_EQ(equalised(in, 1, 2, 2, {.tiles = 1, .clip_limit = 1}),
            (std::vector<std::uint8_t>{128, 128, 191, 255}));
}

TEST(Clahe, RaisesContrastAndKeepsOrderInOneTile) {
  const auto in = dim(32, 32);
  const auto out = equalised(in, 1, 32, 32, {}),
             one = equalised(in, 1, 32, 32, {.tiles = 1, .clip_limit = 0.05});
  Sample before, after;
  for (const std::uint8_t p : in) before.add(p);
  for (const std::uint8_t p : out) after.add(p);
  EXPECT_GT(after.variance(), 2 * before.variance());
  for (std::size_t i = 1; i < in.size(); ++i) ASSERT_TRUE(in[i] < in[i - 1] || one[i] >= one[i - 1]) << i;
}

TEST(Clahe, ColourKeepsItsHue) {
  std::vector<std::uint8_t> in(std::size_t{3} * 32 * 32);
  draw_face(1, 1, 30, 32, in);
  const auto out = equalised(in, 3, 32, 32, {});
  EXPECT_NE(in, out);
  for (std::size_t i = 0; i < 1024; ++i) {
    const double old = std::max({in[i], in[i + 1024], in[i + 2048]}),
                 now = std::max({out[i], out[i + 1024], out[i + 2048]});
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_NEAR(out[i + k * 1024], in[i + k * 1024] * now / old, 1) << "rounded once";
  }
}

TEST(Clahe, InPlaceIsTheSame) {
  const auto in = dim(20, 30);
  auto place = in;
  clahe(place, 1, 20, 30, {}, place);
  EXPECT_EQ(place, equalised(in, 1, 20, 30, {}));
}

TEST(Clahe, BlackStaysGreyAndConstantStaysConstantInOneTile) {
  const auto out = equalised(std::vector<std::uint8_t>(3 * 64, 0), 3, 8, 8, {.tiles = 1});
  for (const std::uint8_t p : out) EXPECT_EQ(p, out[0]);
}

TEST(Clahe, BadArguments) {
  const auto in = dim(8, 8);
  EXPECT_THROW(equalised(in, 2, 8, 8, {}), std::invalid_argument);
  EXPECT_THROW(equalised(in, 1, 8, 8, {.tiles = 9}), std::invalid_argument);
  EXPECT_THROW(equalised(in, 1, 8, 8, {.tiles = 2, .clip_limit = 0}), std::invalid_argument);
  EXPECT_THROW(equalised(in, 1, 8, 9, {}), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
