#include "plumb/simulate/clahe.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace plumb {
namespace {

using Curve = std::array<int, 256>;  // grey level in, grey level out

struct Grid {
  int height, width, tiles;
  [[nodiscard]] int row(int t) const { return t * height / tiles; }  // where tile t begins
  [[nodiscard]] int column(int t) const { return t * width / tiles; }
};

// Counts above the limit are cut off and spread over all levels, the remainder over evenly spaced ones, so
// that no count is lost.
void clip(std::array<int, 256>& counts, int limit) {
  int excess = 0;
  for (int& c : counts) {
    excess += std::max(0, c - limit);
    c = std::min(c, limit);
  }
  for (int g = 0; g < 256; ++g) counts[g] += (g + 1) * excess / 256 - g * excess / 256;
}

Curve tile_curve(std::span<const std::uint8_t> plane, const Grid& grid, int tile_row, int tile_column,
                 double clip_limit) {
  std::array<int, 256> counts{};
  int pixels = 0;
  for (int y = grid.row(tile_row); y < grid.row(tile_row + 1); ++y)
    for (int x = grid.column(tile_column); x < grid.column(tile_column + 1); ++x, ++pixels)
      ++counts[plane[y * grid.width + x]];
  clip(counts, std::max(1, static_cast<int>(clip_limit * pixels)));
  Curve curve{};
  int below = 0;
  for (std::size_t g = 0; g < 256; ++g) {
    below += counts[g];
    curve[g] = (255 * below + pixels / 2) / pixels;
  }
  return curve;
}

// Between which two tiles' middles pixel x of `extent` lies, and how far along:
// weight/scale of the way to the second.
struct Between {
  int first, second, weight, scale;
};

Between between(int x, int extent, int tiles) {
  const int at = (2 * x + 1) * tiles - extent;  // in units of 1 / (2 extent) tiles, from the middle of tile 0
  if (at <= 0) return {0, 0, 0, 1};
  const int first = at / (2 * extent);
  if (first >= tiles - 1) return {tiles - 1, tiles - 1, 0, 1};
  return {first, first + 1, at % (2 * extent), 2 * extent};
}

void equalise(std::vector<std::uint8_t>& plane, const Grid& grid, double clip_limit) {
  std::vector<Curve> curves;
  for (int r = 0; r < grid.tiles; ++r)
    for (int c = 0; c < grid.tiles; ++c) curves.push_back(tile_curve(plane, grid, r, c, clip_limit));
  for (int y = 0; y < grid.height; ++y) {
    const Between v = between(y, grid.height, grid.tiles);
    for (int x = 0; x < grid.width; ++x) {
      const Between h = between(x, grid.width, grid.tiles);
      auto& pixel = plane[y * grid.width + x];
      const auto curve = [&](int r, int c) -> std::int64_t { return curves[r * grid.tiles + c][pixel]; };
      const std::int64_t top =
          curve(v.first, h.first) * (h.scale - h.weight) + curve(v.first, h.second) * h.weight;
      const std::int64_t low =
          curve(v.second, h.first) * (h.scale - h.weight) + curve(v.second, h.second) * h.weight;
      const std::int64_t scale = std::int64_t{h.scale} * v.scale;
      pixel = (top * (v.scale - v.weight) + low * v.weight + scale / 2) / scale;
    }
  }
}

}  // namespace

void clahe(std::span<const std::uint8_t> in, int channels, int height, int width, const ClaheOptions& options,
           std::span<std::uint8_t> out) {
  if (channels != 1 && channels != 3) throw std::invalid_argument("clahe takes 1 or 3 channels");
  if (options.tiles < 1 || height < options.tiles || width < options.tiles)
    throw std::invalid_argument("clahe needs a tile, and a pixel in each tile");
  if (!(options.clip_limit > 0 && options.clip_limit <= 1))
    throw std::invalid_argument("clahe's limit lies in (0, 1]");
  const std::int64_t pixels = std::int64_t{height} * width;
  if (std::ssize(in) != channels * pixels || out.size() != in.size())
    throw std::invalid_argument("clahe's spans do not fit the image");
  std::vector<std::uint8_t> value(in.begin(), in.begin() + pixels);
  for (std::size_t i = pixels; i < in.size(); ++i) value[i % pixels] = std::max(value[i % pixels], in[i]);
  const std::vector<std::uint8_t> before = value;
  equalise(value, {height, width, options.tiles}, options.clip_limit);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int old = before[i % pixels], now = value[i % pixels];
    // Black has no hue: it becomes grey.
    out[i] = old == 0 ? now : (2 * in[i] * now + old) / (2 * old);
  }
}

}  // namespace plumb
