#include "plumb/simulate/regression_images.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/simulate/streams.hpp"
#include "simulate/grey.hpp"

namespace plumb {
namespace {

constexpr int kCells = 16;  // places on a 4 x 4 grid, some of them empty

double between(double lo, double hi, RandomStream& random) { return lo + (hi - lo) * random.uniform(); }

// A grey level for each pixel centre, coordinates in 0..1.
template <class Level>
void shade(int size, std::vector<double>& out, Level level) {
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column)
      out.push_back(level((column + 0.5) / size, (row + 0.5) / size));
}

struct Cell {
  double x, y, radius, dark;
};

std::vector<double> draw_cells(int size, RandomStream& random, RegressionImage& item) {
  const double tumour_rate = random.uniform(), stain = between(0.25, 1, random),
               ground = between(0.75, 0.95, random);
  std::vector<Cell> cells;
  int tumours = 0;
  for (int place = 0; place < kCells; ++place) {
    if (random.uniform() < 0.2 && place > 0) continue;
    const bool tumour = random.uniform() < tumour_rate;
    tumours += tumour ? 1 : 0;
    const double x = (place % 4 + 0.5 + between(-0.2, 0.2, random)) / 4,
                 y = (place / 4 + 0.5 + between(-0.2, 0.2, random)) / 4;
    cells.push_back({x, y, tumour ? between(0.085, 0.11, random) : between(0.05, 0.07, random),
                     tumour ? between(0.65, 0.8, random) : between(0.35, 0.5, random)});
  }
  item.mean[0] = 1.0 * tumours / cells.size();
  const double sd = 0.02 + 0.16 * (1 - stain);
  item.variance[0] = sd * sd;
  std::vector<double> levels;
  shade(size, levels, [&](double x, double y) {
    double level = ground;
    for (const Cell& c : cells) {
      const double d = std::sqrt((x - c.x) * (x - c.x) + (y - c.y) * (y - c.y));
      level -= stain * c.dark * level * std::clamp((c.radius - d) * size + 0.5, 0.0, 1.0);
    }
    return level;
  });
  return levels;
}

std::vector<double> draw_instrument(int size, RandomStream& random, RegressionImage& item) {
  const double tip_x = between(0.2, 0.8, random), tip_y = between(0.2, 0.8, random);
  double ux = 0, uy = 0, length = 0;  // the shaft's direction: a point in a ring, scaled
  do {
    ux = between(-1, 1, random);
    uy = between(-1, 1, random);
    length = std::sqrt(ux * ux + uy * uy);
  } while (length > 1 || length < 0.1);
  ux /= length;
  uy /= length;
  const double smoke = random.uniform(), tissue = between(0.3, 0.5, random),
               half = between(0.03, 0.05, random);
  const double slope = between(-0.15, 0.15, random);
  const double sd = 0.008 + 0.05 * smoke * smoke;
  item.mean = {tip_x, tip_y};
  const double sx = sd * (0.5 + std::abs(ux)), sy = sd * (0.5 + std::abs(uy));
  item.variance = {sx * sx, sy * sy};
  std::vector<double> levels;
  shade(size, levels, [&](double x, double y) {
    const double dx = x - tip_x, dy = y - tip_y;
    const double along = dx * ux + dy * uy, across = std::abs(dy * ux - dx * uy);
    const double taper = half * std::min(1.0, 0.35 + 4 * std::max(0.0, along));
    const double shaft =
        std::clamp((taper - across) * size + 0.5, 0.0, 1.0) * std::clamp(along * size + 0.5, 0.0, 1.0);
    const double scene = tissue + slope * (x + y - 1) + shaft * (0.95 - tissue) * (1 - 4 * across);
    return scene + 0.85 * smoke * (0.65 - scene);
  });
  return levels;
}

void check(const RegressionImageOptions& o) {
  if (o.outputs != 1 && o.outputs != 2)
    throw InputError("regression images have 1 or 2 outputs, not " + std::to_string(o.outputs));
  if (o.size < 16 || o.size > 128)
    throw InputError("the size of a regression image must be between 16 and 128 pixels, not " +
                     std::to_string(o.size));
}

}  // namespace

RegressionImage draw_regression_image(const RegressionImageOptions& options, std::int64_t number,
                                      std::span<std::uint8_t> out) {
  check(options);
  if (std::ssize(out) != std::int64_t{options.size} * options.size)
    throw std::invalid_argument("a regression image needs room for its pixels");
  RegressionImage item;
  RandomStream random = item_stream(options.seed, options.outputs == 1 ? "cells" : "instruments", number);
  std::array<double, 2> z{};
  for (double& value : z) value = random.normal();
  const std::vector<double> levels = options.outputs == 1 ? draw_cells(options.size, random, item)
                                                          : draw_instrument(options.size, random, item);
  for (int k = 0; k < options.outputs; ++k)
    item.target[k] = item.mean[k] + std::sqrt(item.variance[k]) * z[k];
  std::vector<std::int16_t> noise(levels.size());
  fill_noise(options.seed, "regression image noise", number, noise);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double level = levels[i] + 0.02 * noise[i] / kNoiseSd;
    out[i] = detail::grey(level);
  }
  return item;
}

}  // namespace plumb
