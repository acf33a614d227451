#include "regression/intervals.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

constexpr double kPriorItems =
    20;  // of the Gaussian spread of squares; tests/laws/regression.cpp measures the outcome
constexpr double kFewestDegrees = 0.5;
// The spread of squares is itself estimated: that of squares of Gaussian errors, whose kurtosis is 15, from n
// items with n/7 degrees of freedom. Groups share their errors and tell about as much as seven items do.
constexpr double kDegreesPerItem = 7, kDegreesPerGroup = 3;
constexpr double kMostSkew = 0.5;  // of the replicates: beyond it the expansion does not hold

/// Quantile of chi-square / nu by Wilson and Hilferty (1931); z is the normal one.
double mean_square_quantile(double z, double nu) {
  const double a = 2 / (9 * nu), root = std::max(1 - a + z * std::sqrt(a), 0.01);
  return root * root * root;
}

bool is_share(std::string_view key) { return key.starts_with("coverage_"); }
bool is_mean(std::string_view key) {
  return key == "mse" || key == "mae" || key == "crps" || key.starts_with("nll") || key == "width_95" ||
         key == "sharpness";
}

}  // namespace

RegressionUnits regression_sample(const RegressionItems& items) {
  ExactSum w, ww;
  std::vector<char> seen(items.groups.empty() ? 0 : items.groups.distinct().size());
  double units = 0, weight = 1;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    if (!items.weights.empty()) items.weights.read(i, i + 1, {&weight, 1});
    if (!(weight > 0)) continue;
    w.add(weight);
    ww.add(weight * weight);
    if (seen.empty() || seen[items.groups.code(i)] == 0) ++units;
    if (!seen.empty()) seen[items.groups.code(i)] = 1;
  }
  const double sum = w.value();
  return {units, sum > 0 ? sum * sum / ww.value() : 0, items.groups.empty() && items.outputs() == 1};
}

double variance_degrees(const RegressionUnits& s) {
  return s.single ? s.effective / kDegreesPerItem : std::max(1.5, (s.units - 1) / kDegreesPerGroup);
}

Bounds mean_square_bounds(double value, std::span<const double> replicates, const RegressionUnits& s,
                          double level) {
  const double z = normal_quantile((1 + level) / 2), n = s.effective;
  const double spread = standard_deviation(replicates) / value;
  // A draw with replacement has the variance of n - 1 of n.
  double cv2 = spread * spread * s.units / std::max(1.0, s.units - 1);
  if (s.single) cv2 = (n * cv2 + kPriorItems * 2 / n) / (n + kPriorItems);
  // With heavy tails, a sample without its largest errors has a small value and a small variance together.
  if (s.single) cv2 *= 1 + 3 * std::max(0.0, n * cv2 / 2 - 1) / std::sqrt(n);
  const double t = student_factor(z, variance_degrees(s) + (s.single ? kPriorItems / 2 : 0));
  const double nu = cv2 > 0 ? std::max(kFewestDegrees, 2 / (cv2 * t * t)) : 1e12;
  return {value / mean_square_quantile(z, nu), value / mean_square_quantile(-z, nu)};
}

Bounds mean_bounds(double value, std::span<const double> replicates, const RegressionUnits& s, double level) {
  const double z = normal_quantile((1 + level) / 2), sd = standard_deviation(replicates),
               middle = mean(replicates);
  if (!(sd > 0)) return {value, value};
  ExactSum cubes;
  for (const double x : replicates) {
    const double u = (x - middle) / sd;
    cubes.add(u * u * u);
  }
  const double skew =
      std::clamp(cubes.value() / static_cast<double>(replicates.size()), -kMostSkew, kMostSkew);
  const double shift = sd * skew * (1 + 2 * z * z) / 6;
  const double reach = sd * z * student_factor(z, std::max(3.0, variance_degrees(s)));
  return {value - reach + shift, value + reach + shift};
}

Bounds coverage_bounds(double share, std::span<const double> replicates, const RegressionUnits& s,
                       double level) {
  const double sd = standard_deviation(replicates), variance = share * (1 - share);
  double n = std::min(s.units, s.effective);
  if (s.single) {
    n = s.effective;
  } else if (sd > 0) {
    const double t = student_factor(normal_quantile((1 + level) / 2), variance_degrees(s));
    n = variance / (sd * sd * t * t);
  }
  return wilson_bounds(share, std::max(1.0, n), level);
}

void add_regression_interval(const MetricRow& row, std::vector<double> replicates, const RegressionUnits& s,
                             double level, MetricResult& m) {
  const auto set_interval = [&m](const Bounds& b, const char* name) {
    m.low = b.low;
    m.high = b.high;
    m.interval = name;
  };
  m.interval_why = why_no_interval(row);
  if (m.interval_why.empty() && replicates.empty()) m.interval_why = "no replicate has a value";
  if (!m.interval_why.empty()) return;
  if (row.key == "zms") {
    if (*m.value > 0) {
      set_interval(mean_square_bounds(*m.value, replicates, s, level), "chi-square");
    } else {
      m.interval_why = "every error is 0, which does not show how large errors may be";
    }
  } else if (is_share(row.key)) {
    set_interval(coverage_bounds(*m.value, replicates, s, level), "wilson");
  } else if (is_mean(row.key)) {
    Bounds b = mean_bounds(*m.value, replicates, s, level);
    if (row.low == 0) b.low = std::max(0.0, b.low);
    set_interval(b, "skewed t");
  } else {
    add_interval(row.interval, std::move(replicates), level, m);
  }
}

Verdict judge_deviations(const MetricResult& zms, const RegressionUnits& s, bool grouped, double tolerance) {
  Verdict v;
  v.tolerance = tolerance;
  v.unit = grouped ? "groups" : "items";
  if (!zms.value || !zms.low || !zms.high) {
    v.why = zms.value ? "a verdict needs replicates: give ⟦bootstrap⟧ 200" : zms.why;
    return v;
  }
  v.estimate = std::sqrt(*zms.value);
  v.low = std::sqrt(*zms.low);
  v.high = std::sqrt(*zms.high);
  const double least = 1 / tolerance;
  if (*v.low >= least && *v.high <= tolerance) {
    v.verdict = "trustworthy";
    return v;
  }
  const bool not_one = *v.low > 1 || *v.high<1, outside = *v.estimate> tolerance || *v.estimate < least;
  if (not_one && outside) {
    v.verdict = "off";
    v.certain = *v.low > tolerance || *v.high < least;
    return v;
  }
  v.verdict = "cannot tell";
  // The interval of a calibrated model, as wide as this one on the scale of logarithms, shrinks with the root
  // of n.
  const double width = log_portable(*v.high / *v.low) / (2 * log_portable(tolerance)),
               root = std::sqrt(tolerance);
  if (*v.estimate > root || *v.estimate < 1 / root || width <= 1)
    v.why = "the error is too close to the tolerance";
  else
    v.needed = static_cast<std::int64_t>(std::ceil(std::min(1e15, s.units * width * width)));
  return v;
}

}  // namespace plumb::detail
