// Logistic recalibration of y on logit p (Cox 1958):
// slope and intercept, and the intercept with the slope fixed at 1.
#pragma once

#include <optional>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct CalibrationLine {
  Estimate slope;      ///< b of logit P(y) = a + b logit p
  Estimate intercept;  ///< calibration in the large: a of logit P(y) = a + logit p
};
/// Maximum likelihood over votes, by Newton to a gradient of 1e-10 per vote (logit p in standard units) and
/// one step more. Undefined, with the reason: p of 0 and 1 (with their number) unless `clip` > 0 keeps p
/// within [clip, 1 - clip]; no hits or no misses; and for the slope alone: all p equal, or hits and misses
/// separated by p, also with a tie at the border. `ascending`: p in ascending order. O(N) per step, some ten
/// steps; 16 bytes per distinct p.
[[nodiscard]] CalibrationLine calibration_line(const ForecastsView& ascending, double clip, int threads = 1);

/// p-values of likelihood-ratio tests, for independent single votes: of slope 1 (whatever the intercept) and
/// of intercept 0 (with slope 1), from chi-square with one degree of freedom. Absent where the estimate is.
struct LinePValues {
  std::optional<double> slope, intercept;
};
[[nodiscard]] LinePValues calibration_line_p(const ForecastsView& ascending, double clip, int threads = 1);

}  // namespace plumb
