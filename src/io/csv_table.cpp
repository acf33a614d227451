#include "io/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

bool is_space(char c, char delimiter) { return c == ' ' || (c == '\t' && delimiter != '\t'); }

/// At the end of a record: the file's, a newline, or a carriage return before one of them.
bool at_line_end(const char* p, const char* end) {
  return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

const char* after_line_end(const char* p, const char* end) {
  if (p != end && *p == '\r') ++p;
  return p == end ? p : p + 1;
}

/// `p` is after the opening quote; on return after the closing one.
RecordFault read_quoted(const char*& p, const char* end, CsvRecord& out) {
  const char* const begin = p;
  std::string* text = nullptr;
  const char* part = begin;
  for (;;) {
    const auto* quote = static_cast<const char*>(std::memchr(p, '"', end - p));
    if (quote == nullptr) return RecordFault::open_quote;
    if (quote + 1 != end && quote[1] == '"') {
      if (text == nullptr) text = &out.unescaped.emplace_back();
      text->append(part, quote + 1);
      p = part = quote + 2;
      continue;
    }
    if (text != nullptr) text->append(part, quote);
    out.fields.push_back({text != nullptr ? std::string_view(*text) : std::string_view(begin, quote), true});
    p = quote + 1;
    return RecordFault::none;
  }
}

}  // namespace

RecordFault read_record(const char*& p, const char* end, char delimiter, CsvRecord& out) {
  out.fields.clear();
  out.unescaped.clear();
  for (;;) {
    while (p != end && is_space(*p, delimiter)) ++p;
    if (p != end && *p == '"') {
      ++p;
      if (const RecordFault fault = read_quoted(p, end, out); fault != RecordFault::none) return fault;
      while (p != end && is_space(*p, delimiter)) ++p;
      if (!at_line_end(p, end) && *p != delimiter) return RecordFault::stray_quote;
    } else {
      const char* const begin = p;
      while (p != end && *p != delimiter && *p != '\n' && *p != '"') ++p;
      if (p != end && *p == '"') return RecordFault::stray_quote;
      if (p != begin && p[-1] == '\r' && (p == end || *p == '\n')) --p;
      const char* last = p;
      while (last != begin && is_space(last[-1], delimiter)) --last;
      out.fields.push_back({std::string_view(begin, last), false});
    }
    if (at_line_end(p, end)) {
      p = after_line_end(p, end);
      return RecordFault::none;
    }
    ++p;
  }
}

std::string CsvTable::where(std::int64_t row, const char* at) const {
  const auto line = 1 + std::count(file_text.data(), at, '\n');
  return name + ", row " + std::to_string(row) + " (line " + std::to_string(line) + ")";
}

void CsvTable::refuse(std::int64_t row, const char* at, const std::string& what) const {
  throw InputError(where(row, at) + what);
}

void CsvTable::refuse_fault(std::int64_t row, const char* at, RecordFault fault) const {
  refuse(row, at,
         fault == RecordFault::open_quote
             ? ": a quote is never closed"
             : ": a quote inside an unquoted value; quote the whole value and double the quotes in it");
}

void CsvTable::refuse_width(std::int64_t row, const char* at, std::size_t found) const {
  refuse(row, at,
         " has " + counted(found, "value") + " where the header names " +
             counted(std::ssize(columns), "column"));
}

NumberText parse_number(std::string_view text, double& value) {
  if (text.empty()) return NumberText::empty;
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end) return NumberText::good;
  if (error != std::errc::result_out_of_range || stop != end) return NumberText::bad;
  // Out of range either way: tell the two apart by the decimal exponent of the first digit that is not zero.
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  const std::size_t first = std::min(text.find_first_of("123456789"), e);
  double exponent = 0;
  if (e < text.size()) {
    const bool plus = text[e + 1] == '+';
    const auto r = std::from_chars(text.data() + e + 1 + (plus ? 1 : 0), end, exponent);
    if (r.ec != std::errc{}) exponent = text[e + 1] == '-' ? -1e300 : 1e300;
  }
  exponent += static_cast<double>(point) - static_cast<double>(first);
  if (exponent > 0) return NumberText::too_large;
  value = text.front() == '-' ? -0.0 : 0.0;
  return NumberText::good;
}

}  // namespace plumb::detail
