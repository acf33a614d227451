// Where the fields of a NIfTI header lie, nifti1.h and nifti2.h of the NIfTI working group.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace plumb::detail {

struct NiftiLayout {
  std::size_t bytes, magic, type, dim, voxel_size, offset, slope, window, form_codes, quaternion, rows;
};
/// Of version 1 and of version 2.
inline constexpr NiftiLayout kNiftiLayouts[] = {{348, 344, 70, 40, 76, 108, 112, 124, 252, 256, 280},
                                                {540, 4, 12, 16, 104, 168, 176, 192, 344, 352, 400}};

template <class T>
[[nodiscard]] T byte_swapped(T x) {
  auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(x);
  std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

}  // namespace plumb::detail
