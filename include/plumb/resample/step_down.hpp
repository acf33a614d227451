// Many differences tested at once: p-values that keep the chance of any false claim below the level.
#pragma once

#include <span>
#include <vector>

namespace plumb {

/// One difference and its paired bootstrap replicates, NaN where a replicate has no value.
struct DrawnDifference {
  double value = 0;
  std::vector<double> draws;
};

/// Step-down max-statistic p-values (Romano and Wolf 2005, J. Am. Stat. Assoc. 100:94-108), one per test. The
/// statistic is |difference| / bootstrap standard error; its null distribution is that of the replicates
/// around their mean, so that correlated tests cost little. A test that does not vary has p = 1.
[[nodiscard]] std::vector<double> step_down_p_values(std::span<const DrawnDifference> tests);

}  // namespace plumb
