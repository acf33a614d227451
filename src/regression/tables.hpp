// The settings and tables of a regression's result.
#pragma once

#include <optional>
#include <vector>

#include "plumb/registry.hpp"
#include "plumb/regression/evaluate.hpp"
#include "plumb/regression/ordered.hpp"
#include "plumb/regression/sums.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

struct RunWords {
  const char *command, *uncertainty, *bin, *range_choice, *unit;
};
/// A result with its settings, still without values.
[[nodiscard]] Result describe(const RunWords& words, std::int64_t items, std::int64_t outputs,
                              std::int64_t passes, const std::optional<RegressionRange>& range,
                              const RegressionOptions& options, const std::vector<const MetricRow*>& rows);

[[nodiscard]] Table uncertainty_table(const UncertaintyBins& bins);
/// level, coverage and mean width of central intervals; a finer grid of levels when the column was sorted.
[[nodiscard]] Table interval_table(const OutputSums& total, const OrderedRegression* columns);
[[nodiscard]] Table rejection_table(const OrderedRegression& columns);
/// One row for each output.
[[nodiscard]] Table output_table(const RegressionSums& sums);

}  // namespace plumb::detail
