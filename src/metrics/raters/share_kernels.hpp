// The inner loop of the projection into shares, compiled once for each SIMD target. Only multiplications,
// minima and conversions, element by element: the bits are the same on all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plumb/metrics/raters/share_builder.hpp"

namespace plumb::detail {

inline constexpr std::size_t kShareLanes = 8;  ///< no target has wider vectors of double

/// For n forecasts in [0, 1] and equal-width bins: the bin, counted from first[j % period], and p and p^2
/// in units of 2^-50. `period` is a multiple of kShareLanes.
void place_shares(const double* p, std::size_t n, int bins, const std::uint32_t* first, std::size_t period,
                  std::uint32_t* bin, FixedForecast* fixed);

}  // namespace plumb::detail
