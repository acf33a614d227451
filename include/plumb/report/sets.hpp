// The result of `plumb evaluate --sets`, for JSON and for the terminal.
#pragma once

#include <string>
#include <vector>

#include "plumb/evaluate/sets.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

/// Adds task, settings, the section "sets" and the tables set_coverage, set_sizes, set_classes, set_slices.
void add_sets(const SetsResult& r, const SetsOptions& o, const Items& items, Result& result);
[[nodiscard]] std::string render_sets(const SetsResult& r, const std::vector<std::string>& classes,
                                      const TerminalOptions& options);

}  // namespace plumb
