#include "plumb/io/npy.hpp"

#include <bit>
#include <cstring>
#include <numeric>

#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {
namespace {

/// One element of fixed width; NULs at its end are padding.
std::string element_text(const std::byte* at, const NpyHeader& h, const std::string& name) {
  std::string s;
  if (h.kind == 'S') {
    s.assign(reinterpret_cast<const char*>(at), h.item_bytes);
    s.resize(s.find_last_not_of('\0') + 1);
    if (detail::valid_utf8(s)) return s;
  } else {
    std::int64_t units = h.item_bytes / 4;
    const auto unit = [&](std::int64_t i) {
      std::uint32_t c = 0;
      std::memcpy(&c, at + 4 * i, 4);
      return static_cast<char32_t>(h.swapped ? __builtin_bswap32(c) : c);
    };
    while (units > 0 && unit(units - 1) == 0) --units;
    bool good = true;
    for (std::int64_t i = 0; i < units && good; ++i) good = detail::append_utf8(s, unit(i));
    if (good) return s;
  }
  throw InputError(name + " holds text that is not Unicode; save it again from strings");
}

/// Strings in C order, whatever the order in the file.
std::vector<std::string> all_text(const std::byte* data, const NpyHeader& h,
                                  std::span<const std::int64_t> strides, const std::string& name) {
  const std::int64_t n =
      std::accumulate(h.shape.begin(), h.shape.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<std::string> text;
  text.reserve(n);
  std::vector<std::int64_t> index(h.shape.size(), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    text.push_back(element_text(data, h, name));
    for (std::size_t d = h.shape.size(); d-- > 0;) {
      data += strides[d];
      if (++index[d] < h.shape[d]) break;
      data -= strides[d] * h.shape[d];
      index[d] = 0;
    }
  }
  return text;
}

}  // namespace

Array npy_array(NpyHeader h, std::span<const std::byte> data, std::shared_ptr<const void> owner,
                std::string name) {
  if (data.size() != h.data_bytes) {
    const std::string asks = " bytes of data, but its header (" + show_shape(h.shape) + ") requires ";
    throw InputError(name + " has " + std::to_string(data.size()) + asks + std::to_string(h.data_bytes) +
                     (data.size() < h.data_bytes ? "; the file is truncated"
                                                 : "; it is damaged or holds more than one array"));
  }
  Array a;
  a.dtype = h.dtype;
  a.swapped = h.swapped;
  a.strides.resize(h.shape.size());
  std::int64_t stride = h.item_bytes;
  for (std::size_t i = 0; i < h.shape.size(); ++i) {
    const std::size_t d = h.fortran ? i : h.shape.size() - 1 - i;
    a.strides[d] = stride;
    if (h.shape[d] > 0) stride *= h.shape[d];
  }
  if (h.dtype == DType::text) {
    std::vector<std::string> text = all_text(data.data(), h, a.strides, name);
    return array_of(std::move(text), std::move(h.shape), std::move(name));
  }
  a.shape = std::move(h.shape);
  a.data = data.data();
  a.owner = std::move(owner);
  a.name = std::move(name);
  return a;
}

Array parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string name) {
  NpyHeader h = parse_npy_header(bytes, name);
  const std::span<const std::byte> data = bytes.subspan(h.data_offset);
  return npy_array(std::move(h), data, std::move(owner), std::move(name));
}

Array read_npy(const std::string& path) {
  const auto file = MappedFile::open(path);
  return parse_npy(file->bytes(), file, path);
}

std::string npy_header(DType dtype, std::span<const std::int64_t> shape) {
  std::string type(1, std::endian::native == std::endian::little ? '<' : '>');
  if (dtype_size(dtype) == 1) type = "|";
  const std::string name = dtype_name(dtype);
  type += name.front();
  type += std::to_string(dtype_size(dtype));
  std::string dictionary = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) dictionary += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  dictionary += shape.size() == 1 ? ",), }" : "), }";
  // The data begin at a multiple of 64 bytes, so that a mapping is aligned for any vector load.
  constexpr std::size_t kPrefix = 10;
  const std::size_t total = (kPrefix + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - kPrefix - 1, ' ');
  std::string header("\x93NUMPY\x01\x00", 8);
  header += (total - kPrefix) & 0xff;
  header += (total - kPrefix) >> 8;
  return header + dictionary + "\n";
}

void write_npy(const std::string& path, DType dtype, std::span<const std::byte> values,
               std::span<const std::int64_t> shape) {
  const auto n = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  const std::int64_t given = std::ssize(values) / dtype_size(dtype);
  if (n != given)
    throw std::invalid_argument("write_npy: " + std::to_string(given) + " values for a shape of " +
                                std::to_string(n));
  AtomicFile file(path);
  file.write(npy_header(dtype, shape));
  file.write(values);
  file.commit();
}

}  // namespace plumb
