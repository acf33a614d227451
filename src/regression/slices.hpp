// Every slice of a regression evaluated by itself.
#pragma once

#include "plumb/regression/evaluate.hpp"
#include "regression/prepared.hpp"

namespace plumb::detail {

/// Values of every metric; with replicates, intervals of those that tables of slices show.
void add_regression_slices(const RegressionItems& items, const RegressionSelection& selection,
                           const RegressionOptions& o, Result& result);

}  // namespace plumb::detail
