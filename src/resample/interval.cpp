#include "plumb/resample/interval.hpp"

#include <algorithm>

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/quantile.hpp"

namespace plumb {

Bounds percentile_bounds(std::vector<double> replicates, double level) {
  std::sort(replicates.begin(), replicates.end());
  return {quantile_sorted(replicates, (1 - level) / 2), quantile_sorted(replicates, (1 + level) / 2)};
}

Bounds basic_bounds(double value, std::vector<double> replicates, double level) {
  const Bounds q = percentile_bounds(std::move(replicates), level);
  return {std::max(0.0, 2 * value - q.high), std::max(0.0, 2 * value - q.low)};
}

void add_interval(Interval kind, std::vector<double> replicates, double level, MetricResult& metric) {
  if (kind == Interval::none) return;
  const bool basic = kind == Interval::basic;
  const Bounds b = basic ? basic_bounds(*metric.value, std::move(replicates), level)
                         : percentile_bounds(std::move(replicates), level);
  metric.low = b.low;
  metric.high = b.high;
  metric.interval = basic ? "basic" : "percentile";
}

double p_value(double observed, std::span<const double> null_replicates) {
  const auto above = std::count_if(null_replicates.begin(), null_replicates.end(),
                                   [observed](double x) { return x >= observed; });
  return (1.0 + above) / (1.0 + null_replicates.size());
}

double mean(std::span<const double> values) {
  ExactSum s;
  for (const double v : values) s.add(v);
  return s.value() / values.size();
}

}  // namespace plumb
