// The words of a pass as the sums of an evaluation.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/cuda/sums.hpp"

namespace plumb::cuda {

/// What the CPU's pass gives for the same rows, to the bit. `words` are laid out as cuda/layout.hpp says.
[[nodiscard]] StreamSums sums_of_words(std::span<const std::uint64_t> words, int classes, int bins,
                                       Products products);

}  // namespace plumb::cuda
