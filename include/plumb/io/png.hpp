// A picture as a PNG file: what a web page can show without fetching anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace plumb {

/// 8 bits a channel; channels: 1 grey, 3 colour, 4 colour with opacity. `pixels` by row, then column, then
/// channel.
[[nodiscard]] std::string encode_png(std::span<const std::uint8_t> pixels, int height, int width,
                                     int channels);

}  // namespace plumb
