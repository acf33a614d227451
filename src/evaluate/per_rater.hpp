// The model against each rater alone.
#pragma once

#include "evaluate/prepared.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Values of every selected metric on the items and with the votes of each rater, as a slice would have them.
/// Empty for fewer than two raters; with very many raters a note instead of values.
void add_raters(const Items& items, const EvaluateOptions& options, const Selection& selection,
                Progress& progress, Result& result);

}  // namespace plumb::detail
