// IDX files of bytes, the format of MNIST; plain or gzip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb {

struct IdxBytes {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> values;
};

/// A file of unsigned bytes with this many axes. The header is not trusted: memory is allocated as
/// bytes arrive.
[[nodiscard]] IdxBytes read_idx(const std::string& path, int axes);

}  // namespace plumb
