// Two tests of calibration as numbers: the score form of Cox's joint test (Cox 1958) and Spiegelhalter's z
// (Spiegelhalter 1986). Their p-values come from the null draws: with groups or several votes an item the
// chi-square and normal tables are wrong.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

/// Log-odds are cut at this size.
inline constexpr double kMostLogit = 7;

/// U' V^-1 U, the score statistic of intercept 0 and slope 1 in logit P(y) = a + b logit p: U = sum w (h -
/// n p) x, V = sum w n p (1 - p) x x', x = (1, logit p). Where all p are equal the slope is left out. Linear,
/// in any order.
[[nodiscard]] Estimate cox_score(const ForecastsView& f);

/// sum w (h - n p)(1 - 2p) / sqrt(sum w n p (1 - p)(1 - 2p)^2): above 0 the Brier score is larger than the
/// forecasts promise. Linear, in any order.
[[nodiscard]] Estimate spiegelhalter_z(const ForecastsView& f);

}  // namespace plumb
