// Brier score of the event on distinct p (Liu 2022, appendix E), with q a distinct p, n_q its votes and
// ybar_q their mean:
//   calibration = sum_q (n_q/N) (q - ybar_q)^2      refinement = sum_q (n_q/N) ybar_q (1 - ybar_q)
// The two add up to the mean of (p - y)^2 over votes. O(N), no memory.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct BrierRefinement {
  Estimate calibration, refinement;
};
[[nodiscard]] BrierRefinement brier_refinement(const ForecastsView& ascending);

}  // namespace plumb
