// Equal-mass bins: bin min(B-1, floor(B * share of weight with value < p)), so that equal p stay together.
// Bins that no p falls into vanish; the others are told apart by thresholds, each the least p of its bin.
#pragma once

#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb {

/// Thresholds of the bins in use for an ascending column (p ascending); no mass: one bin. Without weights
/// the shares are exact; with weights the floor is that of B * below / total with the two sums exact and each
/// operation rounded once, which is still exact for whole weights. Throws InputError unless 1 <= bins <= 1e6.
[[nodiscard]] BinEdges equal_mass_edges(const ForecastsView& ascending, int bins);
/// The table over those bins. One linear pass.
[[nodiscard]] ReliabilityTable equal_mass_table(const ForecastsView& ascending, int bins, int threads = 1);
/// ece on equal-mass bins with the largest B before the first B whose bin means of y fall somewhere (Roelofs
/// et al. 2022); B goes up to the number of distinct p. Means are compared exactly; with weights or real hits
/// a fall of less than 2^-50 is rounding. `bins_used`, when given, receives that B (0 when undefined). O(N +
/// B^2 log N), half a byte per item (with weights two).
[[nodiscard]] Estimate ece_sweep(const ForecastsView& ascending, int* bins_used = nullptr);

}  // namespace plumb
