// The result of `plumb compare`, for JSON and for the terminal.
#pragma once

#include <string>

#include "plumb/evaluate/compare.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

/// Section "compare": {models, verdicts: {model: verdict}, metrics: {key: {better, best, clear, values,
/// differences}}, wins}; means over cases have no verdicts.
[[nodiscard]] Tree compare_section(const Comparison& c);
[[nodiscard]] std::string render_compare(const Comparison& c, double level, const TerminalOptions& options);
/// Means over cases: values and differences, without sentences.
[[nodiscard]] std::string render_case_means(const Comparison& c, double level,
                                            const TerminalOptions& options);

}  // namespace plumb
