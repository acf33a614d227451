// Uncertainty in two parts, aleatoric and epistemic, as the forecasts say and as pairs of votes show (arXiv
// 2412.18808). Of the two the forecast may be believed where it is calibrated for pairs of votes (order 2).
#pragma once

#include <cstdint>

#include "plumb/data/items.hpp"
#include "plumb/raters/raters.hpp"

namespace plumb {

/// Means over the items with two votes or more, weighted by the items' weights. With d the forecast
/// probability that two raters differ and q the vote shares of a large crowd, which pairs of votes stand for:
struct Decomposition {
  std::int64_t items = 0;
  Bounded total;               ///< 1 - sum z^2: that a vote and a draw from the forecast differ
  Bounded aleatoric;           ///< d
  Bounded epistemic;           ///< the rest, 1 - sum z^2 - d; 0 for plain probabilities
  Bounded aleatoric_observed;  ///< pairs of votes that differ: 1 - sum q^2
  Bounded epistemic_observed;  ///< sum (z - q)^2 without the noise of the votes; may be negative
  Bounded aleatoric_gap;       ///< forecast - observed; 0 where the forecast is right on average
  Bounded epistemic_gap;
};
/// Intervals are normal, from the variance between items or groups; with few groups Student's t.
[[nodiscard]] Decomposition decompose_uncertainty(const Items& items, double level);

}  // namespace plumb
