#include "plumb/simulate/segmentation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/simulate/streams.hpp"
#include "simulate/grey.hpp"

namespace plumb {
namespace {

// Waves cos(k theta), sin(k theta) from the direction (cosine, sine): no angle, no library sine.
constexpr std::size_t kWaves = 5;
struct Waves {
  std::array<double, kWaves + 1> cosine{}, sine{};
};

Waves waves(double c, double s) {
  Waves w;
  w.cosine[0] = 1;
  for (std::size_t k = 1; k <= kWaves; ++k) {
    w.cosine[k] = w.cosine[k - 1] * c - w.sine[k - 1] * s;
    w.sine[k] = w.sine[k - 1] * c + w.cosine[k - 1] * s;
  }
  return w;
}

using Series = std::array<std::array<double, 2>, kWaves + 1>;  // of cosines and sines; [0][0] is the constant

double at(const Series& f, const Waves& w) {
  double sum = 0;
  for (std::size_t k = 0; k <= kWaves; ++k) sum += f[k][0] * w.cosine[k] + f[k][1] * w.sine[k];
  return sum;
}

// e(theta): since cos^2 + sin^2 = 1, its variance is the sum of these shares at every angle.
constexpr std::array<double, kWaves + 1> kWaveShare{0.5, 0.1, 0.15, 0.15, 0.06, 0.04};

Series draw_border(RandomStream& random) {
  Series e{};
  for (std::size_t k = 0; k <= kWaves; ++k) {
    const double sd = std::sqrt(kWaveShare[k]);
    e[k] = {sd * random.normal(), sd * random.normal()};
  }
  e[0][1] = 0;  // sin 0
  return e;
}

struct Lesion {
  double x = 0, y = 0;  // centre, in 0..1
  Series radius{}, spread{};
  double inside = 0, outside = 0, slope_x = 0, slope_y = 0, texture = 0;
};

Lesion draw_lesion(RandomStream& random) {
  const auto between = [&](double lo, double hi) { return lo + (hi - lo) * random.uniform(); };
  Lesion l;
  l.x = between(0.38, 0.62);
  l.y = between(0.38, 0.62);
  const double radius = between(0.14, 0.26);
  l.radius[0][0] = radius;
  for (std::size_t k = 2; k <= kWaves; ++k) {
    const double sd = 0.16 * radius / k;
    l.radius[k] = {sd * std::clamp(random.normal(), -2.0, 2.0), sd * std::clamp(random.normal(), -2.0, 2.0)};
  }
  // The spread is smallest on one side and largest on the other: never below a third of its mean.
  const double spread = between(0.012, 0.05), tilt = 0.47 * spread;
  l.spread[0][0] = spread;
  l.spread[1] = {tilt * between(-1, 1), tilt * between(-1, 1)};
  l.outside = between(0.25, 0.45);
  l.inside = l.outside + between(0.2, 0.4) * (random.uniform() < 0.5 ? -0.6 : 1);
  l.slope_x = between(-0.1, 0.1);
  l.slope_y = between(-0.1, 0.1);
  l.texture = between(0.02, 0.06);
  return l;
}

void check(const SegmentationOptions& o) {
  if (o.size < 16 || o.size > 256)
    throw InputError("the size of a segmentation image must be between 16 and 256 pixels, not " +
                     std::to_string(o.size));
  if (o.raters < 1 || o.raters > 50)
    throw InputError("a simulated segmentation has 1 to 50 raters, not " + std::to_string(o.raters));
}

}  // namespace

void draw_segmentation(const SegmentationOptions& options, std::int64_t item, std::span<std::uint8_t> image,
                       std::span<double> truth, std::span<std::uint8_t> ratings) {
  check(options);
  const std::size_t n = options.size, pixels = n * n, raters = options.raters;
  if (image.size() != pixels || truth.size() != pixels || ratings.size() != raters * pixels)
    throw std::invalid_argument("a segmentation needs room for its image, truth and ratings");
  RandomStream random = item_stream(options.seed, "lesions", item);
  const Lesion lesion = draw_lesion(random);
  std::vector<Series> borders;
  for (std::size_t r = 0; r < raters; ++r) borders.push_back(draw_border(random));
  std::vector<std::int16_t> noise(pixels);
  fill_noise(options.seed, "lesion noise", item, noise);
  for (std::size_t i = 0; i < pixels; ++i) {
    const double u = (i % n + 0.5) / options.size, v = (i / n + 0.5) / options.size;
    const double dx = u - lesion.x, dy = v - lesion.y, r = std::sqrt(dx * dx + dy * dy);
    const Waves w = r > 0 ? waves(dx / r, dy / r) : waves(1, 0);
    const double spread = at(lesion.spread, w), gap = (at(lesion.radius, w) - r) / spread;
    truth[i] = normal_cdf(gap);
    for (std::size_t k = 0; k < raters; ++k) ratings[k * pixels + i] = gap + at(borders[k], w) > 0 ? 1 : 0;
    const double level = lesion.outside + (lesion.inside - lesion.outside) * truth[i] +
                         lesion.slope_x * (u - 0.5) + lesion.slope_y * (v - 0.5) +
                         lesion.texture * noise[i] / kNoiseSd;
    image[i] = detail::grey(level);
  }
}

}  // namespace plumb
