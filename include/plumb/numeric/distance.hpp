// Exact Euclidean distances on a grid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb {

/// The squared distance from each voxel's centre to the nearest one whose seed is not 0; infinite without
/// any. Axes in the order in which they vary, the fastest first; `spacing` is the distance of neighbours
/// along each. Lower envelopes of parabolas, one axis after the other (Felzenszwalb and Huttenlocher 2012):
/// linear in the voxels, and exact up to the rounding of doubles.
[[nodiscard]] std::vector<double> squared_distances(std::span<const std::uint8_t> seeds,
                                                    std::span<const std::int64_t> shape,
                                                    std::span<const double> spacing, int threads);

}  // namespace plumb
