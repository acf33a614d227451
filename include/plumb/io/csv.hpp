// Comma- and tab-separated text with a header row (RFC 4180), parsed in parallel from a mapping; only the
// columns that were asked for take memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "plumb/data/array.hpp"

namespace plumb {

/// What the caller can use: numbers; text as it stands; numbers where every value is one, else text; or
/// names: text as it stands too, but numbers where that makes no difference (whole ones of up to 15 digits,
/// without zeros in front), since those take less memory.
enum class Want { numbers, text, either, names };

struct CsvOptions {
  char delimiter = ',';
  Want want = Want::numbers;
  bool empty_is_nan = false;  ///< an empty value, or NA, is NaN instead of an error
  int threads = 0;
  std::size_t chunk_bytes = std::size_t{1} << 20;  ///< text per parallel piece; tests make it small
};

/// `selection`: "" for all columns, else a column or several with commas between them ("a,b", quotes as in
/// the file); a * in a name stands for any text and takes every column that fits, in the order of the file.
/// One column gives N values, several N x C. Throws InputError with row, line, column and value.
[[nodiscard]] Array parse_csv(std::span<const std::byte> bytes, const std::string& name,
                              const std::string& selection, const CsvOptions& options);

}  // namespace plumb
