#include "plumb/io/nifti.hpp"

#include <algorithm>

#include "io/inflate.hpp"
#include "io/memory.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using detail::InflateStream;

struct Held {
  std::span<const std::byte> voxels;
  std::shared_ptr<const void> owner;
};

std::string nifti_sizes(const NiftiHeader& h) {
  return "its header (" + show_shape(h.shape) + " of " + dtype_name(h.dtype) + ") requires " +
         std::to_string(h.data_bytes) + " bytes of voxels";
}

Held packed_voxels(std::span<const std::byte> packed, const std::string& name, NiftiHeader& h) {
  InflateStream in({packed}, detail::Packing::gzip, name);
  std::vector<std::byte> head(348);
  in.read(head);
  const bool second = head[0] != std::byte{0x5c} && head[3] != std::byte{0x5c};  // 348 in either byte order
  if (second) {
    head.resize(kNiftiHeaderBytes);
    in.read(std::span(head).subspan(348));
  }
  h = parse_nifti_header(head, name);
  if (h.data_bytes / detail::kMostInflation > packed.size())
    throw InputError(name + " is damaged: " + nifti_sizes(h) + ", more than the file can hold");
  in.skip(h.offset - head.size());
  const auto kept = detail::aligned_memory(h.data_bytes, name);
  in.read({kept.get(), h.data_bytes});
  in.finish();
  return {{kept.get(), h.data_bytes}, kept};
}

Held plain_voxels(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                  const std::string& name, NiftiHeader& h) {
  h = parse_nifti_header(bytes, name);
  if (h.offset > bytes.size() || h.data_bytes != bytes.size() - h.offset)
    throw InputError(name + " is damaged: " + nifti_sizes(h) + ", but the file has " +
                     std::to_string(bytes.size() - std::min<std::uint64_t>(bytes.size(), h.offset)));
  const auto voxels = bytes.subspan(h.offset);
  const std::uintptr_t alignment = dtype_size(h.dtype);
  if (reinterpret_cast<std::uintptr_t>(voxels.data()) % alignment == 0) return {voxels, std::move(owner)};
  const auto kept = detail::aligned_memory(voxels.size(), name);
  std::copy(voxels.begin(), voxels.end(), kept.get());
  return {{kept.get(), voxels.size()}, kept};
}

Array array_over(const Held& held, const NiftiHeader& h, const std::string& name) {
  Array a;
  a.dtype = h.dtype;
  a.swapped = h.swapped && dtype_size(h.dtype) > 1;
  a.shape = h.shape;
  a.data = held.voxels.data();
  a.owner = held.owner;
  a.name = name;
  std::int64_t stride = dtype_size(h.dtype);
  for (const std::int64_t n : h.shape) {
    a.strides.push_back(stride);
    stride *= n;
  }
  return a;
}

/// Version 1 keeps slope and intercept in single precision: 255 times the nearest float to 1/255 is more than
/// 1, and only rounding brings it back.
bool single_precision(const NiftiHeader& h) {
  return h.version == 1 && (dtype_size(h.dtype) <= 2 || h.dtype == DType::f32);
}

template <class T>
Array scaled_values(const Array& stored, const NiftiHeader& h) {
  Array flat = stored;
  flat.shape = {stored.size()};
  flat.strides = {dtype_size(stored.dtype)};
  const Rows rows(flat);
  std::vector<T> values(rows.rows());
  std::vector<double> block;
  constexpr std::int64_t kBlock = 1 << 16;
  for (std::int64_t begin = 0; begin < rows.rows(); begin += kBlock) {
    const std::int64_t end = std::min(rows.rows(), begin + kBlock);
    block.resize(end - begin);
    rows.read(begin, end, block);
    for (std::int64_t i = begin; i < end; ++i)
      values[i] = static_cast<T>(h.slope * block[i - begin] + h.intercept);
  }
  Array out = array_of(std::move(values), {stored.size()}, stored.name);
  out.shape = stored.shape;
  out.strides.clear();
  std::int64_t stride = sizeof(T);
  for (const std::int64_t n : out.shape) {
    out.strides.push_back(stride);
    stride *= n;
  }
  return out;
}

}  // namespace

Volume parse_nifti(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string name) {
  const bool packed = bytes.size() > 1 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
  NiftiHeader h;
  const Held held = packed ? packed_voxels(bytes, name, h) : plain_voxels(bytes, std::move(owner), name, h);
  Volume out{array_over(held, h, name), h.affine};
  if (h.scaled())
    out.array =
        single_precision(h) ? scaled_values<float>(out.array, h) : scaled_values<double>(out.array, h);
  return out;
}

}  // namespace plumb
