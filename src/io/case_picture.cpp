#include "plumb/io/case_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plumb/io/pictures.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

using Colour = std::array<double, 3>;

constexpr std::int64_t kPanelPixels = 240;  // the longer side of a panel
constexpr std::int64_t kPanelGap = 6;
constexpr Colour kLeftOut{40, 44, 52}, kUnrated{225, 225, 225}, kOver{214, 90, 20}, kUnder{11, 110, 170};
constexpr Colour kOutlines[] = {{255, 170, 0},  {0, 200, 255},  {130, 225, 60},
                                {255, 90, 200}, {250, 240, 70}, {165, 125, 255}};

/// By voxel of one slice.
struct SliceMaps {
  std::int64_t width = 0, height = 0, raters = 0;
  std::vector<char> kept;
  std::vector<double> p, gap;  ///< gap: confidence less agreement; NaN without votes
  std::vector<char> marked;    ///< by voxel and rater: foreground
};

/// Of every item: probability of the foreground, and confidence less the share of votes for the same class.
void each_gap(const CaseItems& c, const auto& use) {
  constexpr std::int64_t kBlock = 1 << 14;
  const Predictions& p = c.items.predictions;
  PredictionBlock z;
  std::vector<double> top;
  std::vector<std::uint32_t> label;
  std::vector<std::int32_t> votes;
  const std::int64_t raters = c.items.votes.raters(), width = p.width();
  for (std::int64_t begin = 0; begin < c.items.size(); begin += kBlock) {
    const std::int64_t end = std::min(c.items.size(), begin + kBlock);
    p.read(begin, end, z);
    c.items.votes.read_ratings(begin, end, votes);
    top.resize(end - begin);
    label.resize(end - begin);
    top_labels(z, 0, top, label);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const auto own = std::span(votes).subspan(i * raters, raters);
      double n = 0, agree = 0;
      for (const std::int32_t v : own)
        if (v >= 0) ++n, agree += v == static_cast<std::int32_t>(label[i]) ? 1 : 0;
      const double foreground = width == 1 ? z.z[i] : 1 - z.z[i * width];
      use(begin + i, foreground, n > 0 ? top[i] - agree / n : std::numeric_limits<double>::quiet_NaN(), own);
    }
  }
}

SliceMaps maps_of(const CaseItems& c, std::int64_t width, std::int64_t height, std::int64_t slice) {
  SliceMaps m{width, height, c.items.votes.raters(), {}, {}, {}, {}};
  const std::int64_t size = width * height;
  m.kept.resize(size);
  m.p.resize(size);
  m.gap.resize(size);
  m.marked.resize(size * m.raters);
  each_gap(c, [&](std::int64_t item, double p, double gap, std::span<const std::int32_t> votes) {
    const std::int64_t voxel = c.grid.voxel_of(item), at = voxel - slice * size;
    if (at < 0 || at >= size) return;
    m.kept[at] = 1;
    m.p[at] = p;
    m.gap[at] = gap;
    for (std::int64_t r = 0; r < m.raters; ++r) m.marked[at * m.raters + r] = votes[r] > 0 ? 1 : 0;
  });
  return m;
}

Colour mixed(const Colour& a, const Colour& b, double share) {
  Colour out;
  for (std::size_t k = 0; k < 3; ++k) out[k] = a[k] + (b[k] - a[k]) * share;
  return out;
}

/// Two panels, drawn pixel by pixel from the voxels below.
class Canvas {
 public:
  Canvas(const SliceMaps& maps, bool y_up) : m_(maps), y_up_(y_up) {
    const double scale =
        static_cast<double>(kPanelPixels) / static_cast<double>(std::max(m_.width, m_.height));
    const double zoom = scale >= 1 ? std::floor(scale) : scale;  // voxels of one size
    width_ = std::max<std::int64_t>(1, std::llround(zoom * static_cast<double>(m_.width)));
    height_ = std::max<std::int64_t>(1, std::llround(zoom * static_cast<double>(m_.height)));
  }

  std::string png() {
    const std::int64_t all = 2 * width_ + kPanelGap;
    std::vector<std::uint8_t> pixels(all * height_ * 3, 255);
    const auto paint = [&](std::int64_t x, std::int64_t y, const Colour& c) {
      for (std::size_t k = 0; k < 3; ++k)
        pixels[(y * all + x) * 3 + k] = static_cast<std::uint8_t>(std::lround(std::clamp(c[k], 0.0, 255.0)));
    };
    for (std::int64_t y = 0; y < height_; ++y)
      for (std::int64_t x = 0; x < width_; ++x) {
        paint(x, y, probability(x, y));
        paint(x + width_ + kPanelGap, y, confidence(x, y));
      }
    return encode_png(pixels, narrow<int>(height_), narrow<int>(all), 3);
  }

 private:
  [[nodiscard]] std::int64_t voxel(std::int64_t x, std::int64_t y) const {
    const std::int64_t row = y * m_.height / height_;
    return (y_up_ ? m_.height - 1 - row : row) * m_.width + x * m_.width / width_;
  }
  [[nodiscard]] bool inside(std::int64_t x, std::int64_t y, std::int64_t rater) const {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return false;
    return m_.marked[voxel(x, y) * m_.raters + rater] != 0;
  }
  [[nodiscard]] Colour probability(std::int64_t x, std::int64_t y) const {
    for (std::int64_t r = 0; r < m_.raters; ++r)
      if (inside(x, y, r) &&
          !(inside(x - 1, y, r) && inside(x + 1, y, r) && inside(x, y - 1, r) && inside(x, y + 1, r)))
        return kOutlines[r % std::ssize(kOutlines)];
    const std::int64_t v = voxel(x, y);
    if (m_.kept[v] == 0) return kLeftOut;
    const double grey = 255 * m_.p[v];
    return {grey, grey, grey};
  }
  [[nodiscard]] Colour confidence(std::int64_t x, std::int64_t y) const {
    const std::int64_t v = voxel(x, y);
    if (m_.kept[v] == 0) return kLeftOut;
    const double gap = m_.gap[v];
    if (std::isnan(gap)) return kUnrated;
    return mixed({255, 255, 255}, gap > 0 ? kOver : kUnder, std::min(1.0, std::fabs(gap)));
  }

  const SliceMaps& m_;
  bool y_up_;
  std::int64_t width_ = 1, height_ = 1;
};

}  // namespace

CasePicture case_picture(const CaseItems& c) {
  CasePicture out;
  std::vector<std::int64_t> axes = c.grid.shape;  // from the fastest to the slowest
  if (!c.grid.first_axis_fastest) std::reverse(axes.begin(), axes.end());
  if (axes.size() < 2) return out;
  for (std::size_t k = 2; k < axes.size(); ++k) out.slices *= axes[k];
  std::vector<double> sum(out.slices);
  each_gap(c, [&](std::int64_t item, double, double gap, std::span<const std::int32_t>) {
    if (!std::isnan(gap)) sum[c.grid.voxel_of(item) / (axes[0] * axes[1])] += std::fabs(gap);
  });
  out.slice = std::max_element(sum.begin(), sum.end()) - sum.begin();
  const SliceMaps maps = maps_of(c, axes[0], axes[1], out.slice);
  out.uri = png_uri(Canvas(maps, c.grid.first_axis_fastest).png());
  return out;
}

}  // namespace plumb
