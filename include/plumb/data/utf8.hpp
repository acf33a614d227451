// Untrusted text: whether it is UTF-8, and how to print it safely.
#pragma once

#include <string>
#include <string_view>

namespace plumb::detail {

[[nodiscard]] bool valid_utf8(std::string_view text);
/// The text without anything that could control a terminal: control characters (including those of two bytes
/// and marks of writing direction) and bytes that are not UTF-8 become '?'. Those in `keep` stay.
[[nodiscard]] std::string visible(std::string_view text, std::string_view keep = "");

}  // namespace plumb::detail
