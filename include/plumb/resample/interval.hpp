// From replicate values to bounds and p-values (docs/inference.md).
#pragma once

#include <span>
#include <vector>

#include "plumb/registry.hpp"
#include "plumb/result.hpp"

namespace plumb {

struct Bounds {
  double low, high;
};

/// Quantiles (type 6, which small numbers of replicates need) of the replicates at (1 - level)/2 and (1
/// + level)/2.
[[nodiscard]] Bounds percentile_bounds(std::vector<double> replicates, double level);
/// The basic interval, 2 value - quantiles, clipped at 0: for plug-in calibration errors, whose replicates
/// are biased upward by about as much as the value itself is.
[[nodiscard]] Bounds basic_bounds(double value, std::vector<double> replicates, double level);
/// 2 value - mean of the replicates, which is the value less its bias, and z standard deviations of the
/// replicates around it.
[[nodiscard]] Bounds normal_bounds(double value, std::span<const double> replicates, double level);
/// Wilson's interval of a share of n (Wilson 1927); n need not be whole.
[[nodiscard]] Bounds wilson_bounds(double share, double n, double level);
/// Symmetric on the scale of log(x / (1 - x)), for 0 < value < 1.
[[nodiscard]] Bounds logit_bounds(double value, double standard_error, double level);
/// Student's t quantile with nu degrees of freedom over the normal quantile z.
[[nodiscard]] double student_factor(double z, double nu);
/// By how much intervals made from draws of n groups are too narrow: draws with replacement have the variance
/// of n - 1 of n, and it is estimated with n - 1 degrees of freedom. n need not be whole.
[[nodiscard]] double group_stretch(double groups, double level);
/// Both sides `ratio` times as long, within the range. They begin at the value, or at the interval's middle
/// when the value is outside it (plug-in errors, whose bias the interval removes); where the lower end stands
/// on the bound of the range, the upper side begins there.
[[nodiscard]] Bounds stretched(const Bounds& interval, double value, double ratio, double range_low,
                               double range_high);
/// Adds the interval of that kind, percentile, basic or normal, to a metric that has a value.
void add_interval(Interval kind, std::vector<double> replicates, double level, MetricResult& metric);
/// (1 + number of null replicates >= observed) / (1 + B).
[[nodiscard]] double p_value(double observed, std::span<const double> null_replicates);
/// Mean and standard deviation (1/(n - 1); 0 for fewer than two), summed order-free.
[[nodiscard]] double mean(std::span<const double> values);
[[nodiscard]] double standard_deviation(std::span<const double> values);

}  // namespace plumb
