// Hosmer and Lemeshow's test on deciles of the forecast (1980). The forecasts were not fitted to these votes,
// so each of the ten bins brings one degree of freedom.
#pragma once

#include <optional>

#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb {

inline constexpr int kHosmerLemeshowBins = 10;

/// sum over bins of (O - E)^2 / (n m (1 - m)): O hits, E expected hits, m the mean forecast, n the votes.
/// Weights are scaled to a mean of one vote. `deciles`: equal_mass_table(column, kHosmerLemeshowBins).
[[nodiscard]] Estimate hosmer_lemeshow(const ReliabilityTable& deciles);
/// Its chi-square tail. Absent where a bin expects fewer than five votes for either outcome: the
/// approximation is then poor.
[[nodiscard]] std::optional<double> hosmer_lemeshow_p(const ReliabilityTable& deciles);

}  // namespace plumb
