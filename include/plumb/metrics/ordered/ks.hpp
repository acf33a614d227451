// Cumulative calibration errors: Kolmogorov-Smirnov (Liu 2022, appendix D; Gupta et al. 2021) and Kuiper
// (cutoff calibration error, arXiv 2502.19851).
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct CumulativeGaps {
  Estimate ks;      ///< max over thresholds t of |sum_{p_i <= t} w_i (h_i - n_i p_i)| / W
  Estimate kuiper;  ///< max over intervals I of |sum_{p_i in I} w_i (h_i - n_i p_i)| / W
};
/// Both from one walk, equal p together. `ascending`: p in ascending order. O(N), no memory.
[[nodiscard]] CumulativeGaps cumulative_gaps(const ForecastsView& ascending);
[[nodiscard]] Estimate ks(const ForecastsView& ascending);
[[nodiscard]] Estimate kuiper(const ForecastsView& ascending);

}  // namespace plumb
