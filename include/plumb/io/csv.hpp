// Comma- and tab-separated text with a header row (RFC 4180), parsed in parallel from a mapping; only the
// requested columns take memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "plumb/data/array.hpp"

namespace plumb {

/// What the caller accepts: numbers; text unchanged; numbers if every value is one, otherwise text; or names,
/// which are text too but are stored as numbers if that loses nothing (whole numbers of up to 15 digits
/// without leading zeros), to save memory.
enum class Want { numbers, text, either, names };

struct CsvOptions {
  char delimiter = ',';
  Want want = Want::numbers;
  bool empty_is_nan = false;  ///< an empty value, or NA, is NaN instead of an error
  int threads = 0;
  std::size_t chunk_bytes = std::size_t{1} << 20;  ///< text per parallel piece; tests make it small
};

/// `selection`: "" for all columns, otherwise a column or several with commas between them ("a,b", quotes as
/// in the file); a * in a name stands for any text and takes every column that fits, in the order of the
/// file. One column gives N values, several N x C. Throws InputError with row, line, column and value.
[[nodiscard]] Array parse_csv(std::span<const std::byte> bytes, const std::string& name,
                              const std::string& selection, const CsvOptions& options);

}  // namespace plumb
