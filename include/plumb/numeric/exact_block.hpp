// Many terms of an exact sum at once (SIMD).
#pragma once

#include <span>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// The same sum, to the bit, as sum.add(x) for each of the terms.
void add_block(ExactSum& sum, std::span<const double> terms);

}  // namespace plumb
