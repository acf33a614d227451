// Images with one lesion each, outlined by several raters whose borders differ, and the probability that a
// rater marks each pixel.
//
// In polar coordinates about the lesion's centre the true border is R(theta). A rater's is R(theta) +
// s(theta) e(theta), where e is a smooth wave with e(theta) ~ N(0, 1) at every angle, and s(theta) is how
// unclear the border is there: wide on one side, and blurred in the image just as much. So a pixel at
// distance r is marked with probability Phi((R - r) / s), exactly; the pixels along one rater's border are
// dependent, as in practice.
#pragma once

#include <cstdint>
#include <span>

namespace plumb {

struct SegmentationOptions {
  int size = 64;   ///< pixels, 16 to 256
  int raters = 5;  ///< 1 to 50
  std::uint64_t seed = 0;
};

/// Item `item`: a grey image and the truth of size x size, and the raters' masks (0 or 1), raters x size x
/// size. With more raters, the first ones stay the same.
void draw_segmentation(const SegmentationOptions& options, std::int64_t item, std::span<std::uint8_t> image,
                       std::span<double> truth, std::span<std::uint8_t> ratings);

}  // namespace plumb
