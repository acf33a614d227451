// The result of `plumb stability`, for JSON and for a reader.
#pragma once

#include <string>

#include "plumb/evaluate/stability.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

/// Section "stability" of the JSON: {estimator: {multi, single, ratio, ...}}.
[[nodiscard]] Tree stability_section(const Stability& s);
/// Table "precision": the standard error against the number of items and of raters.
[[nodiscard]] Table precision_table(const Stability& s);
[[nodiscard]] std::string render_stability(const Stability& s, const TerminalOptions& options);

}  // namespace plumb
