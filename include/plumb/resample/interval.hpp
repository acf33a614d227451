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

/// Quantiles (type 7) of the replicates at (1 - level)/2 and (1 + level)/2.
[[nodiscard]] Bounds percentile_bounds(std::vector<double> replicates, double level);
/// The basic interval, 2 value - quantiles, clipped at 0: for plug-in calibration errors, whose replicates
/// are biased upward by about as much as the value itself is.
[[nodiscard]] Bounds basic_bounds(double value, std::vector<double> replicates, double level);
/// Adds the interval of that kind to a metric that has a value.
void add_interval(Interval kind, std::vector<double> replicates, double level, MetricResult& metric);
/// (1 + number of null replicates >= observed) / (1 + B).
[[nodiscard]] double p_value(double observed, std::span<const double> null_replicates);
/// Mean and standard deviation (1/(n - 1); 0 for fewer than two), summed order-free.
[[nodiscard]] double mean(std::span<const double> values);
[[nodiscard]] double standard_deviation(std::span<const double> values);

}  // namespace plumb
