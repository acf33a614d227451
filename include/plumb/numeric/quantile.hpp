// Quantiles of small samples (bootstrap replicates) and weighted columns.
#pragma once

#include <span>
#include <vector>

namespace plumb {

/// Hyndman-Fan type 7 (numpy's default) of ascending values; 0 <= q <= 1; at least one value.
[[nodiscard]] double quantile_sorted(std::span<const double> ascending, double q);
[[nodiscard]] double quantile(std::vector<double> values, double q);

/// The smallest value whose cumulative weight reaches q * total;
/// values ascending, weights >= 0 with a positive total.
[[nodiscard]] double weighted_quantile_sorted(std::span<const double> ascending,
                                              std::span<const double> weights, double q);

}  // namespace plumb
