// Bootstrap replicates of a regression: the same sums and columns under Poisson weights.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plumb/regression/evaluate.hpp"
#include "plumb/regression/ordered.hpp"
#include "plumb/regression/sums.hpp"

namespace plumb::detail {

/// All keys of the streaming part.
void stream_scores(const RegressionSums& sums, Scores& out);
/// ence, pit_ks, miscalibration_area.
void ordered_scores(const OrderedRegression& columns, const ItemWeights& weights, int bins, Scores& out);

/// Values of each key over the replicates that had one. `columns` may be null.
[[nodiscard]] std::map<std::string, std::vector<double>, std::less<>> regression_replicates(
    const RegressionItems& items, const RegressionPlan& plan, const OrderedRegression* columns,
    const RegressionOptions& options);

}  // namespace plumb::detail
