// Logistic recalibration of y on logit p (Cox 1958): slope and intercept, and the intercept with the slope fixed at 1.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct CalibrationLine {
  Estimate slope;
  Estimate intercept;  ///< calibration in the large: the slope is fixed at 1
};
/// Newton to a gradient of 1e-10 per vote; p of 0 and 1 make it undefined, with their number, unless `clip` > 0.
[[nodiscard]] CalibrationLine calibration_line(const ForecastsView& f, double clip);

}  // namespace plumb
