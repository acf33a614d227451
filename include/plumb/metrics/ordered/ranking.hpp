// Ranking of hits above misses by score: area under the ROC and the precision-recall curve. The unit is the
// vote. `ascending`: p, the score, in ascending order. O(N), no memory.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

/// P(score of a hit > score of a miss) + P(equal) / 2. Undefined without hits or without misses.
[[nodiscard]] Estimate auroc(const ForecastsView& ascending);
/// Average precision: sum over distinct scores, from the top, of (recall step) * precision of all votes down
/// to that score. No interpolation. Undefined without hits.
[[nodiscard]] Estimate auprc(const ForecastsView& ascending);

}  // namespace plumb
