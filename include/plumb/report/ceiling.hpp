// The model beside the raters, each against the votes of the others, for JSON and for the terminal.
#pragma once

#include <string>
#include <vector>

#include "plumb/raters/ceiling.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

/// Adds the table "ceiling": a row for each rater and score.
void add_ceiling(const std::vector<CeilingRow>& rows, const Votes& votes, Result& result);
/// Empty without rows.
[[nodiscard]] std::string render_ceiling(const std::vector<CeilingRow>& rows, const Votes& votes,
                                         const TerminalOptions& options);

}  // namespace plumb
