// Forecasts of quantiles: their flags, `plumb evaluate --quantiles`, `plumb calibrate fit --method cqr` and
// `apply` of such a model.
#pragma once

#include "shell/flags.hpp"

namespace plumb::cli {

/// --quantiles is among the arguments, or the method is cqr.
[[nodiscard]] bool has_quantile_flags(const Args& args);
int evaluate_quantiles_command(const Args& args);
int fit_cqr_command(const Args& args);
int apply_cqr_command(const Args& args);

}  // namespace plumb::cli
