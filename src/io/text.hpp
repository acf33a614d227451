// Small helpers for messages and for text that came from a file.
#pragma once

#include <string>
#include <string_view>

#include "plumb/data/utf8.hpp"

namespace plumb::detail {

/// The system's reason for an errno: "Permission denied".
[[nodiscard]] std::string system_reason(int error);
/// Untrusted text as it may appear in a message: in double quotes, at most 40 bytes, nothing unprintable.
[[nodiscard]] std::string in_quotes(std::string_view text);
/// Appends a code point; false for what is not a character (surrogates, beyond U+10FFFF).
[[nodiscard]] bool append_utf8(std::string& to, char32_t c);
/// Without the spaces and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);  ///< ASCII only

}  // namespace plumb::detail
