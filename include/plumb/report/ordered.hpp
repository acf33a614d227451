// Ordered classes, raters who were left out, and uncertainty in two parts, for JSON and for the terminal.
#pragma once

#include <string>

#include "plumb/evaluate/ordered.hpp"
#include "plumb/evaluate/rater_weights.hpp"
#include "plumb/raters/decomposition.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

/// Adds the section "ordered", the table "ordered_thresholds" and one of reliability for each threshold.
void add_ordered(const OrderedResult& r, Result& result);
[[nodiscard]] std::string render_ordered(const OrderedResult& r, const std::vector<std::string>& classes,
                                         const TerminalOptions& options);

/// Adds the section "leave_one_rater_out" and the table "rater_influence".
void add_leave_one_out(const LeaveOneOut& r, Result& result);
[[nodiscard]] std::string render_leave_one_out(const LeaveOneOut& r, const TerminalOptions& options);

/// Adds the section "decomposition".
void add_decomposition(const Decomposition& d, Result& result);
[[nodiscard]] std::string render_decomposition(const Decomposition& d, const TerminalOptions& options);

}  // namespace plumb
