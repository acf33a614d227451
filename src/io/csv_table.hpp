// Inside of the CSV reader: the header, the cut into pieces that begin with a record, and one
// record at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/check.hpp"

namespace plumb::detail {

struct CsvField {
  std::string_view text;  ///< without quotes; unquoted text also without spaces at its ends
  bool quoted = false;
};

enum class RecordFault { none, stray_quote, open_quote };

/// One record: fields and what holds the unescaped ones.
struct CsvRecord {
  std::vector<CsvField> fields;
  std::deque<std::string> unescaped;
};

/// Reads the record at `p` and moves p past its line end.
[[nodiscard]] RecordFault read_record(const char*& p, const char* end, char delimiter, CsvRecord& out);

/// Whole records; `row` is the number of the first.
struct CsvChunk {
  const char *begin = nullptr, *end = nullptr;
  std::int64_t row = 0, rows = 0;
};

struct CsvTable {
  std::string name;
  char delimiter = ',';
  std::string_view file_text;  ///< the file
  std::string_view body;       ///< the records after the header, without blank lines at the end
  std::vector<std::string> columns;
  bool quotes = false;  ///< anywhere in the body
  std::vector<CsvChunk> chunks;
  std::int64_t rows = 0;
  std::int64_t first_line = 0;  ///< line of row 0 when every record is one line, otherwise 0

  /// 'votes.csv, row 3 (line 5)'; `at` lies in the record.
  [[nodiscard]] std::string where(std::int64_t row, const char* at) const;
  [[noreturn]] void refuse(std::int64_t row, const char* at, const std::string& what) const;
  [[noreturn]] void refuse_fault(std::int64_t row, const char* at, RecordFault fault) const;
  [[noreturn]] void refuse_width(std::int64_t row, const char* at, std::size_t found) const;
};

[[nodiscard]] CsvTable open_csv(std::span<const std::byte> bytes, const std::string& name, char delimiter,
                                std::size_t chunk_bytes, int threads);

/// Column numbers of a selection, in the order asked for.
[[nodiscard]] std::vector<std::size_t> select_columns(const CsvTable& table, const std::string& selection);

/// Calls f(row, begin of the record, fields) for the records of a chunk;
/// every record has as many fields as the header.
template <class F>
void for_each_record(const CsvTable& table, const CsvChunk& chunk, F&& f) {
  CsvRecord record;
  const char* p = chunk.begin;
  for (std::int64_t i = 0; i < chunk.rows; ++i) {
    const char* const begin = p;
    const RecordFault fault = read_record(p, chunk.end, table.delimiter, record);
    if (fault != RecordFault::none) table.refuse_fault(chunk.row + i, begin, fault);
    if (record.fields.size() != table.columns.size())
      table.refuse_width(chunk.row + i, begin, record.fields.size());
    f(chunk.row + i, begin, std::span<const CsvField>(record.fields));
  }
}

enum class NumberText { good, empty, bad, too_large };
/// A number without spaces around it; accepts a sign, nan and inf. What is too small for a double is 0.
[[nodiscard]] NumberText parse_number(std::string_view text, double& value);

}  // namespace plumb::detail
