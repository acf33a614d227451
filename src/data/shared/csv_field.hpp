// Text as a field of a CSV file.
#pragma once

#include <string>

namespace plumb::detail {

/// In double quotes where it would otherwise be read as something else.
[[nodiscard]] inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace plumb::detail
