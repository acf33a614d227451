// Random flips, shifts and rotations of images, drawn from a counter-based stream: item i of a batch gets the
// same change on every device and thread count.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace plumb::train {

struct Augmentation {
  bool flip = false;       ///< left to right, half of the images on average
  std::int64_t shift = 0;  ///< largest shift in each direction, in whole pixels
  double rotation = 0;     ///< largest rotation in each direction, in degrees
  [[nodiscard]] bool any() const { return flip || shift > 0 || rotation > 0; }
};

/// N x C x H x W in float; pixels from outside repeat the border.
[[nodiscard]] torch::Tensor augment(const torch::Tensor& images, const Augmentation& a, std::uint64_t seed);
/// The same changes for the votes of pixels, N x K x H x W: each pixel takes those of the nearest, and a
/// pixel from outside has none.
[[nodiscard]] torch::Tensor augment_votes(const torch::Tensor& votes, const Augmentation& a,
                                          std::uint64_t seed);

}  // namespace plumb::train
