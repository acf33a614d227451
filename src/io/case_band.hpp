// Voxels near the boundary of a structure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/io/nifti.hpp"

namespace plumb::detail {

/// How far neighbouring voxels are apart along each axis of `shape`: as given, otherwise by the affine.
/// InputError when neither tells.
[[nodiscard]] std::vector<double> voxel_spacing(const std::vector<double>& given,
                                                const std::optional<Affine>& affine,
                                                std::span<const std::int64_t> shape);

/// Bit k - 1 of a voxel: its centre is at most `mm` from that of a voxel on the boundary of class k in the
/// mask of some rater. A voxel is on the boundary of a mask when a neighbour across a face is rated and
/// outside of it; the edge of the image is not one. `ratings`: voxels x raters, -1 where not rated. Axes
/// as they vary in memory, the fastest first.
[[nodiscard]] std::vector<std::uint32_t> boundary_bands(std::span<const std::int32_t> ratings, int classes,
                                                        std::span<const std::int64_t> shape,
                                                        std::span<const double> spacing, double mm,
                                                        int threads);

}  // namespace plumb::detail
