// Random flips, shifts and rotations of images, drawn from a counter-based stream: item i of a batch gets the
// same change on every device and thread count.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace plumb::train {

struct Augmentation {
  bool flip = false;       ///< left to right, every other image on average
  std::int64_t shift = 0;  ///< up to so many pixels either way, in whole pixels
  double rotation = 0;     ///< up to so many degrees either way
  [[nodiscard]] bool any() const { return flip || shift > 0 || rotation > 0; }
};

/// N x C x H x W in float; pixels from outside repeat the border.
[[nodiscard]] torch::Tensor augment(const torch::Tensor& images, const Augmentation& a, std::uint64_t seed);

}  // namespace plumb::train
