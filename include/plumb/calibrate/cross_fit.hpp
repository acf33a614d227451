// Out-of-fold calibration: every item is calibrated by a model that was fitted without its unit, so that one
// data set serves for calibration and evaluation.
#pragma once

#include <string_view>
#include <vector>

#include "plumb/calibrate/fit.hpp"

namespace plumb {

/// Rows of split_folds() in fold f (`in`), or in the others.
[[nodiscard]] std::vector<std::int64_t> fold_rows(const std::vector<int>& fold, int f, bool in);

/// Options for a subset of the items, with the features of its rows.
[[nodiscard]] FitOptions options_for(const FitOptions& options, std::span<const std::int64_t> rows);

/// N x width calibrated probabilities (width 1 when binary: P(class 1)), by `folds` fits of one method.
[[nodiscard]] std::vector<double> cross_fit(std::string_view method, const Items& items,
                                            const FitOptions& options, int folds);

}  // namespace plumb
