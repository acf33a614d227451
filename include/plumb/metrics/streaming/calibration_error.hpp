// Calibration errors computed from a reliability table. With several votes per item N counts votes, so that
// `ece` is the multi-rater ECE of Riera-Marin 2025 (eq. 5, with b_m / N).
#pragma once

#include <span>

#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb {

[[nodiscard]] Estimate ece(const ReliabilityTable& t);     ///< sum_b (n_b / N) |gap_b|
[[nodiscard]] Estimate ece_l2(const ReliabilityTable& t);  ///< sqrt(sum_b (n_b / N) gap_b^2)
[[nodiscard]] Estimate mce(const ReliabilityTable& t);     ///< max_b |gap_b|
/// signed root of the squared error debiased by item
[[nodiscard]] Estimate ece_l2_debiased(const ReliabilityTable& t);
/// mean over classes of ece
[[nodiscard]] Estimate ece_classwise(std::span<const ReliabilityTable> classes);
/// |mean forecast - frequency| of the event: what is left when gaps of both signs cancel
[[nodiscard]] Estimate mean_gap(const ReliabilityTable& t);
[[nodiscard]] Estimate oe_ratio(const ReliabilityTable& t);  ///< observed over expected

/// Murphy's parts on the bins: reliability - resolution + uncertainty (+ within = brier).
struct BrierParts {
  double reliability = 0, resolution = 0, uncertainty = 0;
};
[[nodiscard]] BrierParts brier_parts(const ReliabilityTable& t);

}  // namespace plumb
