// Scores under several weightings of the same rows, the data being read once for all of them.
#pragma once

#include <span>
#include <vector>

#include "evaluate/ordered.hpp"
#include "evaluate/stream.hpp"

namespace plumb {

/// `times[w]` has one count per row. Single-threaded: callers run many of these side by side.
/// `columns` may be null when no ordered key is selected.
[[nodiscard]] std::vector<Scores> scores_of_weightings(const Items& items, const CellPlan& plan,
                                                       const Selection& selection,
                                                       const EvaluateOptions& options,
                                                       const OrderedColumns* columns,
                                                       const KernelPlan& kernel,
                                                       std::span<const std::vector<std::uint32_t>> times);

}  // namespace plumb
