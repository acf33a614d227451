// Maximum mean calibration error with a Laplacian kernel (Kumar et al. 2018; Liu 2022, eq. 28).
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

inline constexpr double kMmceWidth = 0.4;

/// sqrt of the mean over pairs of votes of (y_i - p_i)(y_j - p_j) exp(-|p_i - p_j| / width). `ascending`: p
/// in ascending order (ties in any order give the same bits). Linear after the sort.
[[nodiscard]] Estimate mmce(const ForecastsView& ascending, double width = kMmceWidth);

/// The weighted form used for training (Kumar et al. 2018, section 4): residuals of hits are divided by the
/// weight of all hits, those of misses by the weight of all misses, so that neither kind swamps the other.
[[nodiscard]] Estimate mmce_weighted(const ForecastsView& ascending, double width = kMmceWidth);

}  // namespace plumb
