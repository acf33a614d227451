// JSON lines: one object per line, its members the columns of a table. Read in parallel from a mapping; only
// the requested members take memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/io/csv.hpp"

namespace plumb {

struct JsonLinesOptions {
  Want want = Want::numbers;
  bool empty_is_nan = false;  ///< null, and an absent member, is NaN instead of an error
  int threads = 0;
  std::size_t chunk_bytes = std::size_t{1} << 20;  ///< text per parallel piece; tests make it small
};

/// `selection` as in parse_csv(); the member b of an object a is the column a.b. A column of lists of K
/// numbers gives N x K; lists of one value count as that value. true and false are 1 and 0. Throws InputError
/// with row, line, column and value.
[[nodiscard]] Array parse_json_lines(std::span<const std::byte> bytes, const std::string& name,
                                     const std::string& selection, const JsonLinesOptions& options);

/// The columns of the first lines, in the order of their appearance.
[[nodiscard]] std::vector<std::string> json_lines_columns(std::span<const std::byte> bytes,
                                                          const std::string& name);

}  // namespace plumb
