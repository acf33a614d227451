// The kernel regression curve E[y | p] with its density, computed from compressed sums:
// table `reliability_kde`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plumb/metrics/kernel/beta_sums.hpp"

namespace plumb {

struct CurvePoint {
  double p = 0;
  std::optional<double> estimate;  ///< E[y | p]; absent where no vote is near enough
  double density = 0;              ///< of p over votes; integrates to 1
};

/// 0, 1/cells, ..., 1.
[[nodiscard]] std::vector<double> even_grid(int cells = 100);

/// All votes take part (nothing is left out). At 0 and 1 the estimate is the limit.
[[nodiscard]] std::vector<CurvePoint> reliability_kde(const BetaSums& sums, std::span<const double> grid,
                                                      int threads = 1);

}  // namespace plumb
