// Conformalized quantile regression (Romano, Patterson and Candes 2019), also by category (Mondrian): central
// intervals of forecast quantiles are moved outward or inward until they hold a new target with the
// probability of their level.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/regression/quantiles.hpp"

namespace plumb {

/// For each central pair of levels, and each category of `within` (empty: one for all), the shift: the
/// ceil((n + 1) level)-th smallest of max(low - y, y - high). An interval with both ends moved by it holds
/// the target of a new item (of that category) with probability >= level, whatever the distribution, if new
/// and old items are exchangeable. InputError: weights, no central pair, a category with too few items for a
/// level (named, with the number it needs).
[[nodiscard]] CalibrationModel fit_cqr(const QuantileItems& items, const Names& within);
[[nodiscard]] bool is_cqr(const CalibrationModel& model);
/// The levels of its quantiles, and the categories; empty without.
[[nodiscard]] std::vector<double> cqr_levels(const CalibrationModel& model);
[[nodiscard]] std::vector<std::string> cqr_categories(const CalibrationModel& model);

/// Calls sink(rows) for consecutive items: rows x Q calibrated quantiles; levels without a partner are
/// unchanged. InputError: other levels, a category that was not there in the fit, categories that are missing
/// or not wanted.
void apply_cqr(const CalibrationModel& model, const QuantileItems& items, const Names& within,
               const std::function<void(std::span<const double> rows)>& sink);

}  // namespace plumb
