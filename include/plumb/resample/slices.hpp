// Many slices looked at, each with an interval: what holds for one of them, and what holds for all at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/resample/interval.hpp"

namespace plumb {

/// Beyond so many slices in all there are values alone: each costs its own draws.
inline constexpr std::int64_t kMostSliceIntervals = 200;

/// Bonferroni: intervals of this level, one for each slice, all hold together with probability `level` or
/// more, whatever the slices have in common.
[[nodiscard]] double simultaneous_level(double level, std::int64_t slices);

/// An interval of `level` brought to the level `wider`, for kinds that have too few draws in their tails to
/// be read off there: each side is stretched in the ratio of the normal quantiles. The sides begin at the
/// value, or at the interval's middle when the value is outside it (plug-in errors, whose bias the interval
/// removes); where the lower end stands on the bound of the range it is where the upper side begins.
[[nodiscard]] Bounds widened(const Bounds& interval, double value, double level, double wider,
                             double range_low, double range_high);

/// Why there are no intervals, or what those of `slices` slices mean.
[[nodiscard]] std::string slices_note(std::int64_t slices, double level);

}  // namespace plumb
