#include "plumb/io/csv.hpp"

#include <atomic>
#include <charconv>
#include <limits>

#include "io/csv_table.hpp"
#include "io/text.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

using namespace detail;

/// A value that is not a number, where the caller would also take text.
struct FoundText {};

/// A number whose text is its canonical form: 7, but not 007, 7.0 or 12345678901234567.
bool is_plain_integer(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;
  if (text.starts_with('-') && text != "-0") text.remove_prefix(1);
  return !text.empty() && text.size() <= kMostDigits && (text[0] != '0' || text == "0") &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Parses the records of one chunk into rows of `picked.size()` numbers.
class NumberParser {
 public:
  NumberParser(const CsvTable& table, const std::vector<std::size_t>& picked, const CsvOptions& options)
      : t_(table), width_(picked.size()), options_(options), slot_(table.columns.size(), -1) {
    for (std::size_t i = 0; i < picked.size(); ++i) slot_[picked[i]] = i;
  }

  void parse(const CsvChunk& chunk, double* out) const {
    if (!t_.quotes) return parse_plain(chunk, out);
    for_each_record(t_, chunk, [&](std::int64_t row, const char* at, std::span<const CsvField> fields) {
      for (std::size_t c = 0; c < fields.size(); ++c)
        if (slot_[c] >= 0) out[slot_[c]] = number(row, at, c, fields[c].text);
      out += width_;
    });
  }

  [[nodiscard]] bool found_missing() const { return missing_; }

 private:
  /// Without quotes in the file a number is parsed in place, and its end tells what follows.
  void parse_plain(const CsvChunk& chunk, double* out) const {
    const char* p = chunk.begin;
    const char* const end = chunk.end;
    const std::size_t columns = slot_.size();
    const char delimiter = t_.delimiter;
    for (std::int64_t row = chunk.row; row < chunk.row + chunk.rows; ++row, out += width_) {
      const char* const record = p;
      for (std::size_t c = 0; c < columns; ++c) {
        const char* const field = p;
        bool done = false;
        if (slot_[c] >= 0) {
          while (p != end && *p == ' ') ++p;
          double value = 0;
          const char* const digits = p;
          const auto [stop, error] = std::from_chars(p, end, value);
          p = stop;
          if (options_.want == Want::names && !is_plain_integer({digits, stop}))
            p = digits;  // as text, below
          if (p != end && *p == '\r' && (p + 1 == end || p[1] == '\n')) ++p;
          done = error == std::errc{} && (p == end || *p == delimiter || *p == '\n');
          if (done) out[slot_[c]] = value;
        }
        if (!done) {
          while (p != end && *p != delimiter && *p != '\n') ++p;
          if (slot_[c] >= 0) out[slot_[c]] = number(row, record, c, text_of(field, p, end));
        }
        const bool last = p == end || *p == '\n';
        if (last != (c + 1 == columns)) t_.refuse_width(row, record, fields_of(record, end));
        if (p != end) ++p;
      }
    }
  }

  /// An unquoted field without its spaces and without the carriage return of its line.
  std::string_view text_of(const char* begin, const char* stop, const char* end) const {
    if (stop != begin && stop[-1] == '\r' && (stop == end || *stop == '\n')) --stop;
    const auto space = [&](char c) { return c == ' ' || (c == '\t' && t_.delimiter != '\t'); };
    while (begin != stop && space(*begin)) ++begin;
    while (begin != stop && space(stop[-1])) --stop;
    return {begin, stop};
  }

  std::size_t fields_of(const char* p, const char* end) const {
    std::size_t n = 1;
    for (; p != end && *p != '\n'; ++p) n += *p == t_.delimiter ? 1 : 0;
    return n;
  }

  double number(std::int64_t row, const char* at, std::size_t column, std::string_view text) const {
    double value = 0;
    const NumberText kind = parse_number(trimmed(text), value);
    const bool names = options_.want == Want::names;
    if (kind == NumberText::good && names && !is_plain_integer(trimmed(text))) throw FoundText{};
    if (kind == NumberText::good) return value;
    const bool missing = kind == NumberText::empty || text == "NA";
    if (missing && options_.empty_is_nan) return std::numeric_limits<double>::quiet_NaN();
    if (options_.want == Want::either || names) {
      // A missing value is an error only when no value is text, which is known at the end.
      if (kind != NumberText::empty) throw FoundText{};
      missing_ = true;
      return value;
    }
    // A row that is too short has no value here either; report the row.
    const std::size_t found = t_.quotes ? slot_.size() : fields_of(at, t_.body.data() + t_.body.size());
    if (found != slot_.size()) t_.refuse_width(row, at, found);
    const std::string place = ", column " + in_quotes(t_.columns[column]);
    if (kind == NumberText::empty) t_.refuse(row, at, place + ": the value is missing");
    t_.refuse(row, at,
              place + ": " + in_quotes(text) +
                  (kind == NumberText::too_large ? " is too large for a number" : " is not a number"));
  }

  const CsvTable& t_;
  std::size_t width_;
  const CsvOptions& options_;
  std::vector<std::int64_t> slot_;  // where a column goes in the row, -1: not selected
  mutable std::atomic<bool> missing_{false};
};

std::vector<std::int64_t> shape_of(const CsvTable& t, std::int64_t width) {
  if (width == 1) return {t.rows};
  return {t.rows, width};
}

std::vector<std::string> names_of(const CsvTable& t, const std::vector<std::size_t>& picked) {
  std::vector<std::string> names;
  for (const std::size_t c : picked) names.push_back(t.columns[c]);
  return names;
}

Array numbers(const CsvTable& t, const std::vector<std::size_t>& picked, const CsvOptions& options,
              const std::string& name) {
  const std::int64_t width = std::ssize(picked);
  // Not a vector: its zeros would be written by one thread before the parallel parse begins.
  const std::shared_ptr<double[]> values(new double[t.rows * width]);
  const NumberParser parser(t, picked, options);
  parallel_blocks(std::ssize(t.chunks), 1, options.threads, [&](int, std::int64_t i, std::int64_t) {
    const CsvChunk& chunk = t.chunks[i];
    parser.parse(chunk, values.get() + chunk.row * width);
  });
  if (parser.found_missing()) {
    CsvOptions strict = options;
    strict.want = Want::numbers;  // to name the first missing value
    return numbers(t, picked, strict, name);
  }
  Array a = view_of(std::span<const double>(values.get(), t.rows * width), shape_of(t, width), name);
  a.owner = values;
  a.first_row = t.first_line;
  a.columns = names_of(t, picked);
  return a;
}

Array text(const CsvTable& t, const std::vector<std::size_t>& picked, const CsvOptions& options,
           const std::string& name) {
  const std::int64_t width = std::ssize(picked);
  std::vector<std::string> values(t.rows * width);
  parallel_blocks(std::ssize(t.chunks), 1, options.threads, [&](int, std::int64_t i, std::int64_t) {
    for_each_record(t, t.chunks[i], [&](std::int64_t row, const char* at, std::span<const CsvField> fields) {
      for (std::int64_t j = 0; j < width; ++j) {
        const std::string_view s = fields[picked[j]].text;
        if (!valid_utf8(s))
          t.refuse(row, at,
                   ", column " + in_quotes(t.columns[picked[j]]) +
                       ": the text is not UTF-8; save the file as UTF-8");
        values[row * width + j] = s;
      }
    });
  });
  Array a = array_of(std::move(values), shape_of(t, width), name);
  a.first_row = t.first_line;
  a.columns = names_of(t, picked);
  return a;
}

}  // namespace

Array parse_csv(std::span<const std::byte> bytes, const std::string& name, const std::string& selection,
                const CsvOptions& options) {
  const CsvTable t = open_csv(bytes, name, options.delimiter, options.chunk_bytes, options.threads);
  const std::vector<std::size_t> picked = select_columns(t, selection);
  const std::string full = selection.empty() ? name : name + ":" + selection;
  if (options.want == Want::text) return text(t, picked, options, full);
  try {
    return numbers(t, picked, options, full);
  } catch (const FoundText&) {
    return text(t, picked, options, full);
  }
}

}  // namespace plumb
