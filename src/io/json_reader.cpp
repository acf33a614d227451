#include "io/json_reader.hpp"

#include "io/text.hpp"

namespace plumb::detail {
namespace {

/// What follows a backslash.
const char* append_escape(const char*& p, const char* end, std::string& out) {
  if (p == end) return "ends before its object is complete";
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  const char c = *p++;
  if (const std::size_t at = kNames.find(c); at != std::string_view::npos) {
    out += kMeant[at];
    return "";
  }
  constexpr const char* kBad = "has an escape that is not a character";
  unsigned unit = 0;
  if (c != 'u' || !read_hex(p, end, unit)) return kBad;
  char32_t code = unit;
  if (unit >= 0xd800 && unit < 0xdc00) {  // the first half of a pair
    unsigned low = 0;
    if (end - p < 2 || p[0] != '\\' || p[1] != 'u') return kBad;
    p += 2;
    if (!read_hex(p, end, low) || low < 0xdc00 || low > 0xdfff) return kBad;
    code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }
  return append_utf8(out, code) ? "" : kBad;
}

}  // namespace

bool read_hex(const char*& p, const char* end, unsigned& unit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (end - p < 4) return false;
  unit = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = *p++;
    const std::size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c);
    if (digit == std::string_view::npos) return false;
    unit = unit * 16 + static_cast<unsigned>(digit);
  }
  return true;
}

const char* read_json_string(const char*& p, const char* end, std::string& out) {
  out.clear();
  ++p;
  for (;;) {
    const char* const part = p;
    while (p != end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
    out.append(part, p);
    if (p == end) return "opens a quote that is never closed";
    const char c = *p++;
    if (c == '"') return valid_utf8(out) ? "" : "holds text that is not UTF-8; save the file as UTF-8";
    if (c != '\\') return "has a control character in a text; write it as an escape";
    if (const char* fault = append_escape(p, end, out); *fault != 0) return fault;
  }
}

}  // namespace plumb::detail
