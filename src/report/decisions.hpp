// Decisions at thresholds, for the terminal.
#pragma once

#include "plumb/report/terminal.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Sensitivity, specificity, predictive values and net benefit at the thresholds asked for; empty without.
[[nodiscard]] std::string decision_table(const Result& r, const TerminalOptions& o);
/// Differences of net benefit between models: the table of a comparison.
[[nodiscard]] std::string net_benefit_table(const Table& t, const TerminalOptions& o);

}  // namespace plumb::detail
