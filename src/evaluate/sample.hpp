// Single items for scatter plots: a seeded sample, small whatever the file's size.
#pragma once

#include "plumb/evaluate/evaluate.hpp"

namespace plumb::detail {

/// At most options.sample_items rows, in the order of the file. Which ones depends on (seed, row) alone.
/// Columns: item, p (the event's forecast), top, top_p, hits (votes for the top class), trials, loss (mean
/// over the votes, null where a vote fell on probability 0), entropy (nats), correct;
/// truth and slice when they are known.
[[nodiscard]] Table sample_rows(const Items& items, const EvaluateOptions& options);

}  // namespace plumb::detail
