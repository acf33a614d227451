// The result of `plumb stability`, for JSON and for the terminal.
#pragma once

#include <string>

#include "plumb/evaluate/case_stability.hpp"
#include "plumb/evaluate/stability.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

/// Section "stability" of the JSON: {estimator: {multi, single, ratio, ...}}.
[[nodiscard]] Tree stability_section(const Stability& s);
/// Table "precision": the standard error against the number of items and of raters.
[[nodiscard]] Table precision_table(const Stability& s);
[[nodiscard]] std::string render_stability(const Stability& s, const TerminalOptions& options);

/// Table "within_cases": a row for each case and estimator, with the total variation of both kinds of label.
[[nodiscard]] Table within_table(const WithinCases& w);
/// Table "over_cases": mean and standard deviation of these over cases.
[[nodiscard]] Table over_cases_table(const WithinCases& w);
[[nodiscard]] std::string render_within(const WithinCases& w, const TerminalOptions& options);

}  // namespace plumb
