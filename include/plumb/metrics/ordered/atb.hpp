// Averaged two-bin calibration error (Hartline, Hu and Wu 2025, arXiv 2508.13100): the squared residuals of
// the two bins below and above a threshold, averaged over thresholds.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

/// Integral over t in [0, 1] of (A(t)^2 + (A(1) - A(t))^2) / W^2, A(t) = sum_{p_i < t} w_i (h_i - n_i p_i)
/// and A(1) the sum over all. Smallest in expectation for the true probabilities. `ascending`: p in ascending
/// order. O(N), no memory.
[[nodiscard]] Estimate atb(const ForecastsView& ascending);

}  // namespace plumb
