// Intervals of many slices: for each slice by itself, and for all slices at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plumb/data/items.hpp"
#include "plumb/registry.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// With more slices in all, only values are computed: each slice needs its own draws.
inline constexpr std::int64_t kMostSliceIntervals = 200;

/// Values of all slices together: each is kept, and written, with some 400 bytes.
inline constexpr std::int64_t kMostSliceValues = 5'000'000;

/// InputError, before the work, where so many metrics of so many slices would be more than that.
void check_slices(std::span<const Names> by, std::int64_t metrics);

/// Bonferroni: intervals of this level, one for each slice, all hold together with probability `level` or
/// more, for any dependence between the slices.
[[nodiscard]] double simultaneous_level(double level, std::int64_t slices);

/// An interval of `level` brought to the level `wider`, for kinds that have too few draws in their tails to
/// be read off there: each side is stretched in the ratio of the normal quantiles. With `degrees` of freedom
/// of their spread the farther quantile is Student's.
[[nodiscard]] Bounds widened(const Bounds& interval, double value, double level, double wider,
                             double range_low, double range_high, double degrees = 1e12);

/// A slice with fewer than kEnoughUnits units has values alone: says why for each one of these rows.
void explain_small_slice(bool grouped, std::span<const MetricRow* const> rows, GroupResult& slice);

/// Why there are no intervals, or what those of `slices` slices mean.
[[nodiscard]] std::string slices_note(std::int64_t slices, double level);

}  // namespace plumb
