// NIfTI files with new voxels and the header of another file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/io/nifti.hpp"

namespace plumb {

/// Everything in front of the voxels, as it is in the file: the header and its extensions.
struct NiftiHead {
  NiftiHeader header;            ///< what `bytes` say
  std::vector<std::byte> bytes;  ///< header.offset of them
};

/// Of a file, gzip or plain. InputError as parse_nifti_header().
[[nodiscard]] NiftiHead nifti_head(std::span<const std::byte> file, const std::string& name);
[[nodiscard]] NiftiHead nifti_head(const std::string& path);

/// The same header for voxels that are stored as they are, as float32 or float64: data type, slope and
/// intercept change, and where voxels begin if the header left that open. `same_range` false: the values are
/// on another scale than before, so the display range (cal_min, cal_max) is cleared.
[[nodiscard]] NiftiHead float_head(const NiftiHead& head, DType dtype, bool same_range = true);

/// `voxels` are native numbers of head.header.dtype, x fastest; written in the byte order of the header and
/// packed if the name ends in .gz. The bytes do not depend on threads. InputError if the file cannot be
/// written; std::invalid_argument for another number of bytes than the header declares.
void write_nifti(const std::string& path, const NiftiHead& head, std::span<const std::byte> voxels,
                 int threads = 0);

}  // namespace plumb
