// Ranking of hits above misses by score: area under the ROC and the precision-recall curve. Ties count half.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

[[nodiscard]] Estimate auroc(const ForecastsView& ascending);
/// Average precision: sum over distinct scores of (recall step) * precision, one point per distinct score.
[[nodiscard]] Estimate auprc(const ForecastsView& ascending);

}  // namespace plumb
