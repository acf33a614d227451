// Results as text, for programs and for people.
#pragma once

#include <string>

#include "plumb/result.hpp"

namespace plumb {

/// What `--json` writes (docs/result.schema.json); floats read back exactly.
[[nodiscard]] std::string to_json(const Result& result);
/// What the command line prints: a short table and its meaning in plain words.
[[nodiscard]] std::string to_text(const Result& result);

}  // namespace plumb
