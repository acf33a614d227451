// Many terms of a known range into an exact sum at once (SIMD).
#pragma once

#include <span>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// The same sum, to the bit, as sum.add(x) for each of the terms, where 0 <= x <= 2^reach and 0 <= reach
/// <= 3.
void add_bounded(ExactSum& sum, std::span<const double> terms, int reach = 0);

}  // namespace plumb
