// Equal-mass cells: cell min(B-1, floor(B * share of weight with value < p)), so that equal p stay together.
#pragma once

#include <optional>

#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb {

/// Thresholds of the cells in use for an ascending column (p ascending). With integer mass the shares are exact.
[[nodiscard]] Cells equal_mass_cells(const ForecastsView& ascending, int bins);
/// The table over those cells. One linear pass.
[[nodiscard]] ReliabilityTable equal_mass_table(const ForecastsView& ascending, int bins);
/// ece on equal-mass cells with the largest B before the first B whose cell means of y are not monotone
/// (Roelofs et al. 2022). `bins_used`, when given, receives that B.
[[nodiscard]] Estimate ece_sweep(const ForecastsView& ascending, int* bins_used = nullptr);

}  // namespace plumb
