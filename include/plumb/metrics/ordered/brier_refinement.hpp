// Brier score on distinct p (Liu 2022, appendix E): calibration sum_q (n_q/N)(q - ybar_q)^2, refinement the rest.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct BrierRefinement {
  Estimate calibration, refinement;
};
[[nodiscard]] BrierRefinement brier_refinement(const ForecastsView& ascending);

}  // namespace plumb
