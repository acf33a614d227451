// Brightness to pixels.
#pragma once

#include <algorithm>
#include <cstdint>

namespace plumb::detail {

/// 0 is black and 1 white; values outside are clipped.
inline std::uint8_t grey(double level) {
  return static_cast<std::uint8_t>(std::clamp(255 * level, 0.0, 255.0) + 0.5);
}

}  // namespace plumb::detail
