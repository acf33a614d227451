// `plumb calibrate fit` and `apply` of regressions. cli/calibrate.cpp hands its arguments over whole when
// these say so:
//   fit:   --method names a calibrator of variances, or the inputs are those of a regression
//   apply: the inputs are variances (--variance, --std, --aleatoric, --epistemic, --mean-samples)
#pragma once

#include "shell/flags.hpp"

namespace plumb::cli {

/// The arguments after "fit" or "apply" speak of a regression.
[[nodiscard]] bool is_regression_fit(const Args& args);
[[nodiscard]] bool is_regression_apply(const Args& args);

int fit_regression(const Args& args);
int apply_regression(const Args& args);

}  // namespace plumb::cli
