// The flags that name the files of a regression, and the items that come out of them.
#pragma once

#include "inputs.hpp"
#include "plumb/regression/column.hpp"

namespace plumb::cli {

struct RegressionFlags {
  Args mean, mean_samples, errors, targets;
  Args variance, std_dev, aleatoric, epistemic, variance_samples;
  Args weights, groups, by, ids;
};

/// `observed`: also the flags of observations (evaluating, fitting).
void add_regression_flags(Flags& flags, RegressionFlags& out, bool observed);

struct RegressionInputs : InputRecord {
  RegressionItems items;
};

[[nodiscard]] RegressionInputs load_regression(const RegressionFlags& flags, bool with_errors, int threads);
/// One more file of variances (or standard deviations) for a reference set.
[[nodiscard]] RegressionItems load_reference(const Args& specs, bool is_std, int threads,
                                             RegressionInputs& record);

/// The arguments are those of a regression: --mean, --mean-samples or --errors is among them.
[[nodiscard]] bool has_regression_flags(const Args& args);

}  // namespace plumb::cli
