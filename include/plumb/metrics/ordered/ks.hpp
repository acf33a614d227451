// Kolmogorov-Smirnov calibration error (Liu 2022, appendix D; Gupta et al. 2021).
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

/// max over thresholds t of |sum_{p_i <= t} w_i (h_i - n_i p_i)| / W, equal p together. `ascending`: p in
/// ascending order. O(N), no memory.
[[nodiscard]] Estimate ks(const ForecastsView& ascending);

}  // namespace plumb
