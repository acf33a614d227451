// Selective prediction: answer only the votes of highest confidence. One point per distinct score, from the
// top: with n_g votes of score s_g, of N in all, coverage c_g is the share of votes with score >= s_g and
// risk r_g the share of misses among those.
//   aurc  = sum_g (n_g / N) r_g            with distinct scores the mean of the N risks (Geifman et al. 2019)
//   augrc = area under the generalised risk r c (Traub et al. 2024), straight between points and from (0, 0):
//           sum_g (n_g / N) (r_{g-1} c_{g-1} + r_g c_g) / 2 = (1 - auroc) a (1 - a) + (1 - a)^2 / 2,
//           where a is the accuracy
//   eaurc = aurc less the aurc of the votes sorted by correctness, where each vote is a point of its own:
//           (1/N) sum_{j=1}^{m} j / (N - m + j), m the misses.
//           It is 0 for a perfect ranking of distinct scores.
// A weight that is a whole number is so many votes. If some weight is not, there is no list of votes to sort,
// and eaurc takes the limit of many votes, r + (1 - r) log(1 - r) with r = m / N, as do other tools; for unit
// weights the two differ by less than r / N. eaurc is never negative.
#pragma once

#include <vector>

#include "plumb/data/confidence.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct RiskCoveragePoint {
  double score, coverage, risk;  ///< of all votes with confidence >= score
};
struct RiskCoverage {
  Estimate aurc;   ///< area under risk(coverage)
  Estimate eaurc;  ///< aurc less that of votes sorted by correctness
  Estimate augrc;  ///< area under the generalised risk, risk * coverage
};
/// O(N), no memory.
[[nodiscard]] RiskCoverage risk_coverage(const ForecastsView& ascending);
[[nodiscard]] RiskCoverage risk_coverage(const ConfidenceColumn& column, int threads = 0);
/// The curve itself, from the most confident on. With more distinct scores than `points` one is kept where
/// the coverage passes a multiple of 1/points, so that the last has coverage 1.
[[nodiscard]] std::vector<RiskCoveragePoint> risk_coverage_curve(const ForecastsView& ascending, int points);

}  // namespace plumb
