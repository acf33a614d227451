// The sums of a logistic fit over a block of distinct p (SIMD, four lanes on every target, so that the bits
// do not depend on the width of the vectors).
#pragma once

#include <array>
#include <cstddef>

namespace plumb::detail {

/// Of residual r = hits - mass y and curvature c = mass y (1 - y): r, c, r x, c x, c x^2.
using LineSums = std::array<double, 5>;

/// `y` are the fitted means. Without a slope the last three are left 0.
[[nodiscard]] LineSums line_sums(const double* x, const double* y, const double* mass, const double* hits,
                                 std::size_t count, bool with_slope);

}  // namespace plumb::detail
