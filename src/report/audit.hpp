// The tables of `plumb audit`, for the terminal.
#pragma once

#include "plumb/report/terminal.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Slices, worst first, by the metric that ranks them; empty for other commands.
[[nodiscard]] std::string audit_ranks(const Result& r, const TerminalOptions& o);
/// Differences from the other items that chance does not explain; empty for other commands.
[[nodiscard]] std::string audit_differences(const Result& r, const TerminalOptions& o);

}  // namespace plumb::detail
