// p-values of a regression: how large the errors of calibration are if the errors are Gaussian with the
// predicted variances.
#pragma once

#include "plumb/numeric/progress.hpp"
#include "plumb/regression/evaluate.hpp"
#include "regression/prepared.hpp"

namespace plumb::detail {

/// Adds null_mean and p_value to the metrics whose row has a null (uce, ence, pit_ks, miscalibration_area),
/// from `bootstrap` sets of errors drawn from N(0, variance), on the bins of the data. Only where a unit is
/// one z-score (no groups, one output): how errors of one unit move together is unknown.
void add_regression_p_values(const RegressionItems& items, const PreparedRegression& prepared,
                             const RegressionSelection& selection, const RegressionOptions& options,
                             MetricResults& metrics);

}  // namespace plumb::detail
