// How far a value that is read off the grid of a ladder can be from that of the votes themselves. All that is
// known of a rung is its votes, its hits, the mean of its forecasts and the two ends they lie between; each
// bound holds for every column that has these rungs. Rungs without width (p = 0 and p = 1) are exact.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/metrics/ordered/ladder.hpp"

namespace plumb {

/// A key and its bound; what has no known bound is not in the list.
using KeyBounds = std::vector<std::pair<std::string_view, double>>;

/// Ascending; rungs with votes only. O(rungs).
///   p                      the width of the widest rung
///   auroc                  half of the pairs of a hit and a miss that share a rung
///   auprc                  each hit of a rung counts with a precision between those of both orders
///   ks, kuiper, atb        within a rung the running sum of residuals turns by the sum of one sign at most
///   ece_mass               votes of a rung in which a bin ends may belong to its other side
///   mmce                   the same turn F, in the norm of the kernel: |d|^2 <= 2 / 0.4 int F^2
///   dsc, mcb               a monotone curve moves by 1 in all, so by one rung's variance of outcomes, twice
///   spiegelhalter_z        p^2 of a rung is off by its width
///   calibration_intercept  the step of the grid, since log-odds move by that much at most
[[nodiscard]] KeyBounds order_bounds(std::span<const LadderRung> rungs, int bins);

/// aurc, eaurc, augrc and mmce_top. Of two classes (`mirrored`) a rung shares its confidence with that of
/// 1 - p, and forecasts of exactly 0.5, for which the first class is predicted, are in a rung above 0.5.
[[nodiscard]] KeyBounds confidence_bounds(std::span<const LadderRung> rungs, bool mirrored);

/// smece = sigma: the turn F times the variation of the kernel, (2 / pi)^(1/2) / sigma int |F|, and what that
/// moves the fixed point by.
[[nodiscard]] KeyBounds smooth_bounds(std::span<const LadderRung> rungs, double sigma);

/// ece_kde and ece_kde_l2 at this bandwidth, a vote left out at a time: the logarithm of each kernel weight
/// moves by at most |p_i - p_j| / (256 h) and the width of the target's rung. O(rungs^2), in the window where
/// the kernel is not 0.
[[nodiscard]] KeyBounds kernel_bounds(std::span<const LadderRung> rungs, double bandwidth, int threads);

}  // namespace plumb
