// Limits checked before untrusted JSON is parsed, so that it cannot exhaust the stack or take very long.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "plumb/data/check.hpp"

namespace plumb::detail {

/// Throws InputError for JSON nested deeper than 100 levels, or with more than `keys` keys.
inline void check_json_limits(std::string_view json, const std::string& name,
                              std::int64_t keys = std::numeric_limits<std::int64_t>::max()) {
  constexpr int kDeepest = 100;
  int depth = 0;
  std::int64_t seen = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      seen += c == ':' ? 1 : 0;
      if (depth > kDeepest)
        throw InputError(name + " is nested more than " + std::to_string(kDeepest) +
                         " levels deep; plumb writes no such file");
      if (seen > keys)
        throw InputError(name + " has more than " + std::to_string(keys) +
                         " keys; plumb writes no such file");
    }
  }
}

}  // namespace plumb::detail
