// Reliability tables as rows for readers.
#pragma once

#include <vector>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Rows: low, high, items, votes, weight, mean_p, mean_y, gap; empty bins included (their means are null).
/// gap = mean_p - mean_y: positive where forecasts are too high. `null_mean_y`, by bin and replicate, adds
/// the consistency band: where mean_y of a calibrated model would fall with probability `level`.
[[nodiscard]] Table reliability_rows(const ReliabilityTable& t,
                                     const std::vector<std::vector<double>>& null_mean_y = {},
                                     double level = 0.95);

}  // namespace plumb::detail
