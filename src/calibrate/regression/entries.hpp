// Input of the fits: errors and the variance to be calibrated, without values that have no likelihood.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/regression/column.hpp"

namespace plumb::detail {

enum class Spread { total, aleatoric };

/// A block of items; variances are raised to options.clip, and a variance of 0 is an InputError.
void read_entries(const RegressionItems& items, std::int64_t begin, std::int64_t end,
                  const RegressionFitOptions& options, Spread spread, RegressionBlock& out);
/// The column that is calibrated.
[[nodiscard]] inline const std::vector<double>& spread_of(const RegressionBlock& block, Spread spread) {
  return spread == Spread::total ? block.variance : block.aleatoric;
}

/// All entries of positive weight in memory, item after item.
struct Entries {
  std::vector<double> error, variance, weight;  ///< weight empty: one each
  std::vector<std::uint32_t> item;
};
[[nodiscard]] Entries collect_entries(const RegressionItems& items, const RegressionFitOptions& options,
                                      Spread spread);

/// items, votes (entries) of the report.
void note_counts(const RegressionItems& items, FitReport& report);

}  // namespace plumb::detail
