// An image or volume of any format, with its position in space if the file has one.
#pragma once

#include "plumb/io/load.hpp"
#include "plumb/io/nifti.hpp"

namespace plumb {

[[nodiscard]] Volume load_volume(const Source& source, int threads = 0);

/// One axis, voxels in the order of `first_axis_fastest` (NIfTI) or of the last one (NumPy); copied only
/// where memory has another order.
[[nodiscard]] Array flat_voxels(const Array& volume, bool first_axis_fastest);
[[nodiscard]] bool first_axis_fastest(const Array& volume);
/// "(3, 4, 5)": the indices of voxel i of such a list.
[[nodiscard]] std::string show_voxel(std::int64_t i, std::span<const std::int64_t> shape,
                                     bool first_axis_fastest);

}  // namespace plumb
