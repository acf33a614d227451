// CORP decomposition of a score (Dimitriadis, Gneiting and Jordan 2021): what an isotonic recalibration would
// remove (miscalibration), what the forecasts gain over the base rate once recalibrated (discrimination), and
// the score of the base rate (uncertainty). score = mcb - dsc + unc.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct CorpParts {
  Estimate mcb, dsc, unc;
};
/// Of the event's Brier score. `ascending`: p in ascending order. O(N) time.
[[nodiscard]] CorpParts corp_brier(const ForecastsView& ascending);
/// Of the event's log-loss, p kept within [clip, 1 - clip]. `mcb` is undefined, with the reason, where a vote
/// falls on probability 0; nothing is defined for outcomes outside [0, 1] (random signs of residuals).
[[nodiscard]] CorpParts corp_log(const ForecastsView& ascending, double clip);

}  // namespace plumb
