// NIfTI-1 and NIfTI-2 volumes in one file, .nii or .nii.gz.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {

/// Rows of the 3 x 4 matrix that takes a voxel's indices to millimetres.
using Affine = std::array<double, 12>;

struct NiftiHeader {
  int version = 1;
  bool swapped = false;
  DType dtype = DType::u8;
  std::vector<std::int64_t> shape;  ///< x, y, z, then further axes; x varies fastest in the file
  std::uint64_t offset = 352;       ///< of the first voxel
  std::uint64_t data_bytes = 0;     ///< known not to overflow
  double slope = 1, intercept = 0;  ///< a value is slope * stored + intercept
  Affine affine{};                  ///< the sform, otherwise the qform, otherwise the voxel sizes
  [[nodiscard]] bool scaled() const { return slope != 1 || intercept != 0; }
};

struct Volume {
  Array array;
  std::optional<Affine> affine;  ///< of formats that have one
};

inline constexpr std::size_t kNiftiHeaderBytes = 540;  ///< the longer of the two

/// The beginning of a file, which is not trusted: InputError if it is not a NIfTI header or describes
/// no numbers.
[[nodiscard]] NiftiHeader parse_nifti_header(std::span<const std::byte> bytes, const std::string& name);

/// A whole file, gzip or plain (detected from the first bytes). Voxels are not copied from a plain file
/// without scaling: `owner` keeps `bytes` alive. Scaled values are float32 if the file has no more precision.
[[nodiscard]] Volume parse_nifti(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                 std::string name);

}  // namespace plumb
