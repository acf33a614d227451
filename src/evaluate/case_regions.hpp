// Parts of a case: where raters agree, where they do not, near boundaries and away from them.
#pragma once

#include "evaluate/case_sums.hpp"
#include "evaluate/products.hpp"

namespace plumb::detail {

/// Fills the regions of `out` and of its row; a region without items is left out.
void measure_regions(const Case& c, const EvaluateOptions& options, CaseSums& out);
/// The metrics that regions have: those that stream.
[[nodiscard]] Selection region_metrics(const Selection& selection);
[[nodiscard]] KeyedValues region_values(const StreamSums& sums, const Selection& part,
                                        const FinishOptions& options);

}  // namespace plumb::detail
