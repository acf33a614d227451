#include "plumb/resample/interval.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/quantile.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

constexpr double kRounding = 1e-12;

double normal_factor(double level) { return normal_quantile((1 + level) / 2); }

}  // namespace

Bounds percentile_bounds(std::vector<double> replicates, double level) {
  std::sort(replicates.begin(), replicates.end());
  // Type 6: of B replicates and one more, the share below the value at rank q (B + 1) is q.
  const double n = static_cast<double>(replicates.size());
  const auto at = [&](double q) {
    return n > 1 ? quantile_sorted(replicates, std::clamp((q * (n + 1) - 1) / (n - 1), 0.0, 1.0))
                 : replicates.front();
  };
  return {at((1 - level) / 2), at((1 + level) / 2)};
}

Bounds basic_bounds(double value, std::vector<double> replicates, double level) {
  const Bounds q = percentile_bounds(std::move(replicates), level);
  return {std::max(0.0, 2 * value - q.high), std::max(0.0, 2 * value - q.low)};
}

Bounds normal_bounds(double value, std::span<const double> replicates, double level) {
  const double middle = 2 * value - mean(replicates);
  const double reach = normal_factor(level) * standard_deviation(replicates);
  return {middle - reach, middle + reach};
}

Bounds wilson_bounds(double share, double n, double level) {
  const double z = normal_factor(level), zz = z * z;
  const double middle = (share + zz / (2 * n)) / (1 + zz / n);
  const double reach = z / (1 + zz / n) * std::sqrt(share * (1 - share) / n + zz / (4 * n * n));
  // At 0 and 1 the two parts cancel, but for rounding.
  return {share <= 0 ? 0 : std::max(0.0, middle - reach), share >= 1 ? 1 : std::min(1.0, middle + reach)};
}

Bounds logit_bounds(double value, double standard_error, double level) {
  const double middle = log_portable(value) - log_portable(1 - value);
  const double reach = normal_factor(level) * standard_error / (value * (1 - value));
  const auto share = [](double u) { return 1 / (1 + exp_portable(-u)); };
  return {share(middle - reach), share(middle + reach)};
}

/// The expansion in 1/nu (Abramowitz and Stegun 26.7.5).
double student_factor(double z, double nu) {
  const double z2 = z * z;
  return 1 + (z2 + 1) / (4 * nu) + ((5 * z2 + 16) * z2 + 3) / (96 * nu * nu) +
         (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * nu * nu * nu);
}

double group_stretch(double groups, double level) {
  const double nu = std::max(groups - 1, 1.0);
  return student_factor(normal_factor(level), nu) * std::sqrt((nu + 1) / nu);
}

Bounds stretched(const Bounds& b, double value, double ratio, double range_low, double range_high) {
  double middle = value >= b.low && value <= b.high ? value : (b.low + b.high) / 2;
  if (b.low <= range_low) middle = b.low;
  return {std::max(range_low, middle - ratio * (middle - b.low)),
          std::min(range_high, middle + ratio * (b.high - middle))};
}

void add_interval(Interval kind, std::vector<double> replicates, double level, MetricResult& metric) {
  if (kind == Interval::none) return;
  const Bounds b = kind == Interval::basic    ? basic_bounds(*metric.value, std::move(replicates), level)
                   : kind == Interval::normal ? normal_bounds(*metric.value, replicates, level)
                                              : percentile_bounds(std::move(replicates), level);
  metric.low = b.low;
  metric.high = b.high;
  metric.interval = kind == Interval::basic ? "basic" : kind == Interval::normal ? "normal" : "percentile";
}

double p_value(double observed, std::span<const double> null_replicates) {
  const double edge =
      observed - kRounding * std::abs(observed);  // all signs turned give a tie, but for rounding
  const auto above =
      std::count_if(null_replicates.begin(), null_replicates.end(), [edge](double x) { return x >= edge; });
  return (1.0 + above) / (1.0 + null_replicates.size());
}

double mean(std::span<const double> values) {
  ExactSum s;
  for (const double v : values) s.add(v);
  return s.value() / values.size();
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  ExactSum s;
  for (const double v : values) s.add((v - centre) * (v - centre));
  return std::sqrt(s.value() / (values.size() - 1));
}

}  // namespace plumb
