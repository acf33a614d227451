// Contrast-limited adaptive histogram equalisation (Pizer et al. 1987):
// the moderate shift of Laves 2021, section 4.3.
#pragma once

#include <cstdint>
#include <span>

namespace plumb {

struct ClaheOptions {
  int tiles = 4;             ///< along each side
  double clip_limit = 0.03;  ///< largest share of a tile's pixels that one grey level may hold; what is over
                             ///< goes to all levels
};

/// `channels` planes of height x width, 1 (grey) or 3 (RGB). Colour images are equalised in the value of HSV,
/// which keeps hue and saturation. Integer arithmetic: the same bits on every machine.
/// `in` and `out` may be the same.
void clahe(std::span<const std::uint8_t> in, int channels, int height, int width, const ClaheOptions& options,
           std::span<std::uint8_t> out);

}  // namespace plumb
