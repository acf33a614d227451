// Layouts: nifti1.h and nifti2.h of the NIfTI working group. Every number is checked before it is used.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "io/nifti_layout.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/nifti.hpp"

namespace plumb {
namespace {

using detail::byte_swapped;
using Layout = detail::NiftiLayout;

struct Fields {
  std::span<const std::byte> bytes;
  bool swapped = false;
  int version = 1;

  template <class T>
  [[nodiscard]] T at(std::size_t offset) const {
    T x;
    std::memcpy(&x, bytes.data() + offset, sizeof x);
    return swapped ? byte_swapped(x) : x;
  }
  [[nodiscard]] const Layout& layout() const { return detail::kNiftiLayouts[version - 1]; }
  /// The i-th real number of a field: float in version 1, double in version 2.
  [[nodiscard]] double real(std::size_t offset, int i = 0) const {
    return version == 1 ? double{at<float>(offset + 4 * i)} : at<double>(offset + 8 * i);
  }
  [[nodiscard]] std::int64_t extent(int i) const {
    return version == 1 ? at<std::int16_t>(layout().dim + 2 * i) : at<std::int64_t>(layout().dim + 8 * i);
  }
  [[nodiscard]] int form_code(int which) const {
    return version == 1 ? at<std::int16_t>(layout().form_codes + 2 * which)
                        : at<std::int32_t>(layout().form_codes + 4 * which);
  }
};

struct Type {
  std::int16_t code;
  DType dtype;
};
constexpr Type kTypes[] = {{2, DType::u8},     {4, DType::i16},   {8, DType::i32},   {16, DType::f32},
                           {64, DType::f64},   {256, DType::i8},  {512, DType::u16}, {768, DType::u32},
                           {1024, DType::i64}, {1280, DType::u64}};

[[noreturn]] void damaged_nifti(const std::string& name, const std::string& what) {
  throw InputError(name + " is damaged: " + what);
}

Fields open_header(std::span<const std::byte> bytes, const std::string& name) {
  Fields f{bytes};
  const auto is = [&](std::int32_t size, bool swapped) {
    f.swapped = swapped;
    return f.at<std::int32_t>(0) == size;
  };
  if (bytes.size() < detail::kNiftiLayouts[0].bytes)
    throw InputError(name + " is not a NIfTI file: it has fewer than 348 bytes");
  for (const bool swapped : {false, true})
    for (f.version = 1; f.version <= 2; ++f.version)
      if (is(static_cast<std::int32_t>(f.layout().bytes), swapped)) return f;
  throw InputError(name + " is not a NIfTI file: it does not begin with a header of 348 or 540 bytes");
}

void check_magic(const Fields& f, const std::string& name) {
  if (f.bytes.size() < f.layout().bytes) damaged_nifti(name, "its header is truncated");
  const char* const magic = reinterpret_cast<const char*>(f.bytes.data()) + f.layout().magic;
  if (std::memcmp(magic, f.version == 1 ? "n+1" : "n+2", 4) == 0) return;
  if (std::memcmp(magic, f.version == 1 ? "ni1" : "ni2", 4) == 0)
    throw InputError(
        name +
        " is the header of a NIfTI pair (.hdr and .img); save both as one .nii file, for example with nibabel");
  throw InputError(
      name + " is not a NIfTI file (an older ANALYZE file?); save it as .nii, for example with nibabel");
}

void read_shape(const Fields& f, const std::string& name, NiftiHeader& h) {
  const std::int64_t axes = f.extent(0);
  if (axes < 1 || axes > 7) damaged_nifti(name, "its header declares " + std::to_string(axes) + " axes");
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  std::int64_t size = dtype_size(h.dtype);
  for (int i = 1; i <= axes; ++i) {
    const std::int64_t n = f.extent(i);
    h.shape.push_back(n);
    if (n < 1 || n > kMost / size)
      damaged_nifti(name, "its header declares the shape " + show_shape(h.shape));
    size *= n;
  }
  h.data_bytes = static_cast<std::uint64_t>(size);
}

void read_type(const Fields& f, const std::string& name, NiftiHeader& h) {
  const auto code = f.at<std::int16_t>(f.layout().type), bits = f.at<std::int16_t>(f.layout().type + 2);
  const auto* const type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& t) { return t.code == code; });
  if (type == std::end(kTypes))
    throw InputError(
        name + " holds NIfTI data type " + std::to_string(code) +
        ", which is not a plain number type (colours, complex numbers, bits); save the voxels as integers or as float32");
  h.dtype = type->dtype;
  if (bits != 8 * dtype_size(h.dtype))
    damaged_nifti(name, "its header declares " + std::to_string(bits) + " bits per voxel for type " +
                            dtype_name(h.dtype));
}

void read_offset(const Fields& f, const std::string& name, NiftiHeader& h) {
  const double offset =
      f.version == 1 ? f.real(f.layout().offset) : static_cast<double>(f.at<std::int64_t>(f.layout().offset));
  const std::size_t least = f.layout().bytes + 4;  // the header and the flag of its extensions
  constexpr double kMost = 1e9;
  if (offset == 0) {
    h.offset = least;
  } else if (offset >= static_cast<double>(least) && offset <= kMost && offset == std::floor(offset)) {
    h.offset = static_cast<std::uint64_t>(offset);
  } else {
    damaged_nifti(name, "its header says that voxels begin at byte " + fmt::format("{}", offset));
  }
}

/// nifti1.h, method 2: a rotation given by three parts of a unit quaternion.
Affine from_quaternion(const Fields& f) {
  const Layout& l = f.layout();
  double b = f.real(l.quaternion, 0), c = f.real(l.quaternion, 1), d = f.real(l.quaternion, 2), a = 0;
  const double rest = 1 - (b * b + c * c + d * d);
  if (rest < 1e-7) {  // half a turn; the three parts may miss length 1 by rounding
    const double length = std::sqrt(b * b + c * c + d * d);
    b /= length, c /= length, d /= length;
  } else {
    a = std::sqrt(rest);
  }
  const double rotation[] = {
      a * a + b * b - c * c - d * d, 2 * (b * c - a * d),           2 * (b * d + a * c),
      2 * (b * c + a * d),           a * a + c * c - b * b - d * d, 2 * (c * d - a * b),
      2 * (b * d - a * c),           2 * (c * d + a * b),           a * a + d * d - c * c - b * b};
  const double turn = f.real(l.voxel_size, 0) < 0 ? -1 : 1;
  Affine out{};
  for (int row = 0; row < 3; ++row) {
    for (int k = 0; k < 3; ++k)
      out[4 * row + k] = rotation[3 * row + k] * f.real(l.voxel_size, k + 1) * (k == 2 ? turn : 1);
    out[4 * row + 3] = f.real(l.quaternion, 3 + row);
  }
  return out;
}

Affine read_affine(const Fields& f) {
  const Layout& l = f.layout();
  Affine out{};
  if (f.form_code(1) > 0) {
    for (int i = 0; i < 12; ++i) out[i] = f.real(l.rows, i);
    return out;
  }
  if (f.form_code(0) > 0) return from_quaternion(f);
  for (int k = 0; k < 3; ++k) out[5 * k] = f.real(l.voxel_size, k + 1);
  return out;
}

}  // namespace

NiftiHeader parse_nifti_header(std::span<const std::byte> bytes, const std::string& name) {
  const Fields f = open_header(bytes, name);
  check_magic(f, name);
  NiftiHeader h;
  h.version = f.version;
  h.swapped = f.swapped;
  read_type(f, name, h);
  read_shape(f, name, h);
  read_offset(f, name, h);
  const double slope = f.real(f.layout().slope, 0), intercept = f.real(f.layout().slope, 1);
  if (slope != 0 && std::isfinite(slope)) {  // 0 means: as they are stored
    if (!std::isfinite(intercept)) damaged_nifti(name, "its scl_inter is not a number");
    h.slope = slope;
    h.intercept = intercept;
  }
  h.affine = read_affine(f);
  return h;
}

}  // namespace plumb
