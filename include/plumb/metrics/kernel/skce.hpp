// Squared kernel calibration error without bias (Widmann, Lindsten, Zachariah 2019), of the event.
#pragma once

#include "plumb/metrics/kernel/mmce.hpp"

namespace plumb {

/// What a row of a column holds: the votes of one item, or votes of as many items as it has votes.
enum class SkceRows { items, votes };

/// Mean over pairs of votes of two different items of (y_i - p_i)(y_j - p_j) exp(-|p_i - p_j| / kMmceWidth):
/// its expectation is 0 for a calibrated model and the square of what mmce() estimates otherwise.
/// `ascending`: p in ascending order. Undefined, with the reason, where fewer than two items have votes.
/// Linear after the sort, with the bits of any order of ties.
[[nodiscard]] Estimate skce(const ForecastsView& ascending, SkceRows rows = SkceRows::items);
/// The same where mmce() of the column is known.
[[nodiscard]] Estimate skce(const Estimate& mmce, const ForecastsView& f, SkceRows rows);

}  // namespace plumb
