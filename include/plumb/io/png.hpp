// PNG pictures as arrays of labels or of intensities: greyscale and palette, 1 to 16 bits.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "plumb/data/array.hpp"

namespace plumb {

/// Height x width of uint8, or of uint16 where the file has 16 bits. Numbers are those of the file: the index
/// of a palette, grey not stretched to 255. InputError for colour, interlaced and damaged files.
[[nodiscard]] Array parse_png(std::span<const std::byte> bytes, const std::string& name);

}  // namespace plumb
