#include "plumb/io/nifti_write.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "io/gzip.hpp"
#include "io/inflate.hpp"
#include "io/nifti_layout.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {
namespace {

using detail::NiftiLayout;

constexpr std::uint64_t kMostHead = std::uint64_t{1} << 26;  // extensions hold text, not voxels

const NiftiLayout& layout_of(const NiftiHeader& h) { return detail::kNiftiLayouts[h.version - 1]; }

template <class T>
void set_field(NiftiHead& head, std::size_t at, T x) {
  if (head.header.swapped) x = detail::byte_swapped(x);
  std::memcpy(head.bytes.data() + at, &x, sizeof x);
}

/// float in version 1, double in version 2.
void set_real(NiftiHead& head, std::size_t at, int i, double x) {
  if (head.header.version == 1) set_field(head, at + 4 * i, static_cast<float>(x));
  if (head.header.version == 2) set_field(head, at + 8 * i, x);
}

void set_offset(NiftiHead& head, std::uint64_t offset) {
  const std::size_t at = layout_of(head.header).offset;
  if (head.header.version == 1) set_field(head, at, static_cast<float>(offset));
  if (head.header.version == 2) set_field(head, at, static_cast<std::int64_t>(offset));
}

[[noreturn]] void refuse_head(const std::string& name, std::uint64_t offset) {
  throw InputError(name + " is damaged: its header says that voxels begin at byte " + std::to_string(offset) +
                   ", which leaves no room for them or too much for its extensions");
}

std::vector<std::byte> packed_head(std::span<const std::byte> file, const std::string& name, NiftiHeader& h) {
  detail::InflateStream in({file}, detail::Packing::gzip, name);
  std::vector<std::byte> out(detail::kNiftiLayouts[0].bytes);
  in.read(out);
  const bool second = out[0] != std::byte{0x5c} && out[3] != std::byte{0x5c};  // 348 in either byte order
  if (second) {
    out.resize(kNiftiHeaderBytes);
    in.read(std::span(out).subspan(detail::kNiftiLayouts[0].bytes));
  }
  h = parse_nifti_header(out, name);
  if (h.offset > kMostHead) refuse_head(name, h.offset);
  const std::size_t have = out.size();
  out.resize(h.offset);
  in.read(std::span(out).subspan(have));
  return out;
}

template <class T>
std::vector<std::byte> swapped_voxels(std::span<const std::byte> voxels) {
  std::vector<std::byte> out(voxels.begin(), voxels.end());
  for (auto at = out.begin(); at != out.end(); at += sizeof(T)) std::reverse(at, at + sizeof(T));
  return out;
}

}  // namespace

NiftiHead nifti_head(std::span<const std::byte> file, const std::string& name) {
  NiftiHead out;
  if (file.size() > 1 && file[0] == std::byte{0x1f} && file[1] == std::byte{0x8b}) {
    out.bytes = packed_head(file, name, out.header);
    return out;
  }
  out.header = parse_nifti_header(file, name);
  if (out.header.offset > std::min<std::uint64_t>(kMostHead, file.size()))
    refuse_head(name, out.header.offset);
  const auto before = file.first(out.header.offset);
  out.bytes.assign(before.begin(), before.end());
  return out;
}

NiftiHead nifti_head(const std::string& path) { return nifti_head(MappedFile::open(path)->bytes(), path); }

NiftiHead float_head(const NiftiHead& head, DType dtype, bool same_range) {
  if (dtype != DType::f32 && dtype != DType::f64)
    throw std::invalid_argument("float_head: neither float32 nor float64");
  NiftiHead out = head;
  const NiftiLayout& l = layout_of(head.header);
  const int size = dtype_size(dtype);
  set_field(out, l.type, static_cast<std::int16_t>(dtype == DType::f32 ? 16 : 64));
  set_field(out, l.type + 2, static_cast<std::int16_t>(8 * size));
  set_real(out, l.slope, 0, 1);
  set_real(out, l.slope, 1, 0);
  set_offset(out, head.header.offset);
  for (const int i : {0, 1})
    if (!same_range) set_real(out, l.window, i, 0);
  out.header = parse_nifti_header(out.bytes, "the header");
  return out;
}

void write_nifti(const std::string& path, const NiftiHead& head, std::span<const std::byte> voxels,
                 int threads) {
  const NiftiHeader& h = head.header;
  if (voxels.size() != h.data_bytes)
    throw std::invalid_argument("write_nifti: the header declares another number of voxels");
  AtomicFile file(path);
  const bool packed = detail::lower(path).ends_with(".gz");
  std::vector<std::byte> whole;
  if (h.swapped) {
    whole = dtype_size(h.dtype) == 4 ? swapped_voxels<float>(voxels) : swapped_voxels<double>(voxels);
    voxels = whole;
  }
  if (!packed) {
    file.write(std::span<const std::byte>(head.bytes));
    file.write(voxels);
  } else {
    for (const std::vector<std::byte>& piece : detail::gzip_pieces({head.bytes, voxels}, threads))
      file.write(std::span<const std::byte>(piece));
  }
  file.commit();
}

}  // namespace plumb
