// The interval of a squared calibration error that was debiased: inversion on the scale of the square.
#pragma once

#include <span>

#include "plumb/resample/interval.hpp"

namespace plumb::detail {

/// How the variance of a debiased square grows with the true square V: var = null variance + growth * V,
/// since the mean gap of a bin, of variance s^2, enters squared: (g + r)^2 - s^2 = g^2 + 2 g r + (r^2 - s^2).
/// Estimated from replicates. Those scatter around the observed gaps, whose squares sum to `plug_in`, the
/// error with the sampling bias in it; what of their variance is that of a calibrated model is taken off in
/// the proportion in which `plug_in` is bias.
[[nodiscard]] double square_growth(double value, double plug_in, double replicate_variance,
                                   double null_variance);

/// The V at which a share (1 - level) / 2 of V + null draw + N(0, growth * V) lies above (low) and below
/// (high) the observed value. Below 0, which only the estimate can reach, V moves the draws and nothing else.
/// `high` is at least that of a value at the 3% quantile of the null draws: luck proves nothing. The draws
/// must not be empty.
[[nodiscard]] Bounds invert_debiased(double value, double growth, std::span<const double> null, double level);

}  // namespace plumb::detail
