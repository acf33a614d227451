// The tables of a regression's result.
#pragma once

#include "plumb/regression/ordered.hpp"
#include "plumb/regression/sums.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

[[nodiscard]] Table uncertainty_table(const UncertaintyCells& cells);
/// level, coverage and mean width of central intervals; a finer grid of levels when the column was sorted.
[[nodiscard]] Table interval_table(const OutputSums& total, const OrderedRegression* columns);
[[nodiscard]] Table rejection_table(const OrderedRegression& columns);
/// One row for each output.
[[nodiscard]] Table output_table(const RegressionSums& sums);

}  // namespace plumb::detail
