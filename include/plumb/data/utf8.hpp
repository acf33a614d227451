// Text that came from outside: whether it is UTF-8, and how it may be shown.
#pragma once

#include <string>
#include <string_view>

namespace plumb::detail {

[[nodiscard]] bool valid_utf8(std::string_view text);
/// Nothing in it moves a cursor or changes a terminal: control characters (also those of two bytes, and the
/// marks that turn the direction of writing) and bytes that are no UTF-8 become '?'. Those in `keep` stay.
[[nodiscard]] std::string visible(std::string_view text, std::string_view keep = "");

}  // namespace plumb::detail
