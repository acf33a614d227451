// The result of a regression for the terminal.
#pragma once

#include <string>
#include <vector>

#include "plumb/report/terminal.hpp"
#include "plumb/result.hpp"

namespace plumb {

[[nodiscard]] std::string render_regression(const Result& result, const TerminalOptions& options);
/// Coverage and the factor of the variance, bias of the spread, rejection, shift, slices: one sentence each.
[[nodiscard]] std::vector<std::string> regression_words(const Result& result);

}  // namespace plumb
