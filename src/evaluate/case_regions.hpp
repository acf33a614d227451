// Parts of a case: where raters agree, where they do not, near boundaries and away from them.
#pragma once

#include "evaluate/case_sums.hpp"
#include "evaluate/products.hpp"

namespace plumb::detail {

/// Fills the regions of `out` and of its row; a region without items is left out.
void measure_regions(const Case& c, const EvaluateOptions& options, CaseSums& out);
/// The metrics that a part of the votes has, in the registry's order: those that stream and those that are
/// read off a ladder.
[[nodiscard]] Selection part_metrics(const Selection& selection, const EvaluateOptions& options);
/// Null where sums or ladder lack what a metric needs.
[[nodiscard]] KeyedValues part_values(const NamedSums& sums, const Selection& part, ProductSet products,
                                      const FinishOptions& finish, const EvaluateOptions& options);

}  // namespace plumb::detail
