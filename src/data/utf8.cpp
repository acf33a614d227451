#include "plumb/data/utf8.hpp"

#include <cstdint>

namespace plumb::detail {
namespace {

struct Character {
  char32_t code = 0;
  int bytes = 0;  ///< 0: not UTF-8
};

/// The one that `text`, which is not empty, begins with.
Character first_character(std::string_view text) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return {lead, 1};
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || more >= std::ssize(text)) return {};
  char32_t c = lead & (0x3fu >> more);
  for (int k = 1; k <= more; ++k) {
    const unsigned char next = text[k];
    if ((next & 0xc0) != 0x80) return {};
    c = (c << 6) | (next & 0x3fu);
  }
  // The shortest form only, no surrogates, nothing beyond the last plane.
  constexpr char32_t kLeast[4] = {0, 0x80, 0x800, 0x10000};
  if (c < kLeast[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return {};
  return {c, more + 1};
}

bool is_control(char32_t c) {
  const bool turns = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || turns;
}

}  // namespace

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const int bytes = first_character(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string visible(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    const int bytes = c.bytes == 0 ? 1 : c.bytes;
    const bool kept = bytes == 1 && keep.find(text[0]) != std::string_view::npos;
    const bool printable = kept || (c.bytes > 0 && !is_control(c.code));
    out += printable ? text.substr(0, bytes) : std::string_view("?");
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace plumb::detail
