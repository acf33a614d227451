// NumPy's .npy files, versions 1 to 3: read in place from a mapping, written through AtomicFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {

/// The checked header of a .npy file. Never evaluates anything: the three keys are parsed as literals.
struct NpyHeader {
  DType dtype = DType::f64;
  char kind = 'f';              ///< numpy's: b i u f, or U and S for text
  std::int64_t item_bytes = 8;  ///< of one element in the file
  bool swapped = false, fortran = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;   ///< where the elements begin
  std::uint64_t data_bytes = 0;  ///< shape times item_bytes; known not to overflow
};

/// `bytes` may be the beginning of a file only, as long as it holds the whole header. `name` is for messages.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);
/// How many bytes parse_npy_header needs, from the first 12 bytes of a file (or all of a shorter one).
[[nodiscard]] std::size_t npy_header_bytes(std::span<const std::byte> first, const std::string& name);

/// The array of a parsed header over its elements. `data` must have h.data_bytes bytes.
[[nodiscard]] Array npy_array(NpyHeader h, std::span<const std::byte> data, std::shared_ptr<const void> owner,
                              std::string name);
/// A whole file in memory. Numbers are not copied: `owner` keeps `bytes` alive. Text becomes UTF-8 strings.
[[nodiscard]] Array parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              std::string name);
[[nodiscard]] Array read_npy(const std::string& path);

/// The header of a C-order file, for writers that stream the rows after it.
[[nodiscard]] std::string npy_header(DType dtype, std::span<const std::int64_t> shape);

void write_npy(const std::string& path, DType dtype, std::span<const std::byte> values,
               std::span<const std::int64_t> shape);
template <class Values>  // contiguous numbers
void write_npy(const std::string& path, const Values& values, std::span<const std::int64_t> shape) {
  const std::span all(values);
  write_npy(path, detail::dtype_of<typename decltype(all)::value_type>(), std::as_bytes(all), shape);
}

}  // namespace plumb
