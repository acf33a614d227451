// Selective prediction: keep the items of highest confidence, answer only those. One point per distinct score.
#pragma once

#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct RiskCoveragePoint {
  double score, coverage, risk;  ///< of all votes with confidence >= score
};
struct RiskCoverage {
  Estimate aurc;   ///< area under risk(coverage)
  Estimate eaurc;  ///< aurc less that of votes sorted by correctness
  Estimate augrc;  ///< area under the generalised risk, risk * coverage (Traub et al. 2024)
};
[[nodiscard]] RiskCoverage risk_coverage(const ForecastsView& ascending);
/// The curve itself, from the most confident on, thinned to at most `points`.
[[nodiscard]] std::vector<RiskCoveragePoint> risk_coverage_curve(const ForecastsView& ascending, int points);

}  // namespace plumb
