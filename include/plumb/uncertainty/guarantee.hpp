// Thresholds with a guarantee for new items. The plain threshold is the largest cut that looks good on the
// test set, so that about half of them miss the target on new items; these do so with probability at most 1
// - confidence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb {

/// "With probability at least `confidence` over the test set, at least `target` of the answers to future
/// items with measure < value are right."
struct Guarantee {
  std::optional<double> value;     ///< absent: no cut is guaranteed to reach the target
  double share = 0;                ///< of the mass with measure < value
  std::optional<double> accuracy;  ///< observed there
};

/// For each target by itself. Cuts at 1, 2, ..., 100% of the mass are tested in that order with the fallback
/// procedure (Wiens 2003; a fixed sequence with several starts): 1 - confidence is shared equally by four
/// starts, a cut that is rejected hands its level on to the next, and one that is not ends the run. The
/// hypothesis of a cut is an accuracy below the target on {measure < value}. One vote of weight one per item
/// and no groups: the binomial test. Otherwise the units are groups (or items with their votes), and the
/// p-value is 1/e with the e-value
///   e = mean over lambda of prod_u (1 + lambda X_u),
///   X_u = sum over the unit's kept items of w (h - target n),
/// 0 < lambda < 1 / (target * largest kept mass of a unit): its mean is at most 1 under the hypothesis
/// whatever the dependence within units (betting, Waudby-Smith and Ramdas 2024). `confidence` columns as for
/// find_thresholds(); `unit` as for add_errors(). O(N) per target.
[[nodiscard]] std::vector<Guarantee> guaranteed_thresholds(const ForecastsView& confidence_column,
                                                           std::span<const std::uint32_t> unit,
                                                           std::size_t units, std::span<const double> targets,
                                                           double confidence);

/// P(Binomial(n, p) <= k).
[[nodiscard]] double binomial_at_most(std::int64_t k, std::int64_t n, double p);

/// How many units, all right, it takes before a target can be guaranteed at all.
[[nodiscard]] std::int64_t least_units(double target, double confidence);

}  // namespace plumb
