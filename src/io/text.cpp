#include "io/text.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>

namespace plumb::detail {

std::string system_reason(int error) { return std::generic_category().message(error); }

bool append_utf8(std::string& to, char32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return false;
  constexpr char32_t kLead[4] = {0, 0xc0, 0xe0, 0xf0};
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  to += kLead[more] | (c >> 6 * more);
  for (int k = more; k-- > 0;) to += 0x80 | ((c >> 6 * k) & 0x3f);
  return true;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  const bool cut = text.size() > kMost;
  std::size_t length = std::min(text.size(), kMost);
  // Do not cut inside a character.
  while (cut && length > 0 && (text[length] & 0xc0) == 0x80) --length;
  return '"' + visible(text.substr(0, length)) + (cut ? "...\"" : "\"");
}

std::string_view trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string s(text);
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return s;
}

}  // namespace plumb::detail
