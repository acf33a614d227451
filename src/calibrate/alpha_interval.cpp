// How well alpha_0 is known (AlphaProblem::log_alpha_spread).
#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/alpha_problem.hpp"
#include "plumb/calibrate/alpha.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kMostIntervalFeatures = 200;  // the curvature is a matrix of their square
constexpr double kNearBound = 26;                    // of log alpha_0

/// Solves a x = b by elimination with pivots; false where a is singular.
bool solve_in_place(std::vector<double> a, std::vector<double>& b) {
  const std::int64_t n = std::ssize(b);
  for (std::int64_t c = 0; c < n; ++c) {
    std::int64_t pivot = c;
    for (std::int64_t r = c + 1; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    if (!(std::abs(a[pivot * n + c]) > 1e-300)) return false;
    for (std::int64_t k = 0; k < n; ++k) std::swap(a[c * n + k], a[pivot * n + k]);
    std::swap(b[c], b[pivot]);
    for (std::int64_t r = c + 1; r < n; ++r) {
      const double f = a[r * n + c] / a[c * n + c];
      for (std::int64_t k = c; k < n; ++k) a[r * n + k] -= f * a[c * n + k];
      b[r] -= f * b[c];
    }
  }
  for (std::int64_t c = n - 1; c >= 0; --c) {
    for (std::int64_t k = c + 1; k < n; ++k) b[c] -= a[c * n + k] * b[k];
    b[c] /= a[c * n + c];
  }
  return true;
}

}  // namespace

std::optional<AlphaSpread> AlphaProblem::log_alpha_spread(std::span<const double> theta,
                                                          const Names& groups) const {
  const std::int64_t k = unknowns();
  if (k > kMostIntervalFeatures + 1 || !(std::abs(theta[0]) < kNearBound)) return std::nullopt;
  std::vector<double> hessian(k * k, 0.0), slope(weight_.size()), x(k, 1.0);
  const auto read_x = [&](std::size_t i) {
    for (std::int64_t j = 1; j < k; ++j) x[j] = x_[i * features_ + j - 1];
  };
  for (std::size_t i = 0; i < weight_.size(); ++i) {
    read_x(i);
    double s = 0;
    for (std::int64_t j = 0; j < k; ++j) s += theta[j] * x[j];
    const double alpha = exp_portable(std::clamp(s, -kNearBound, kNearBound));
    const RisingFactorial all = rising_factorial(alpha, total_[i]);
    double first = -all.slope, second = -all.curvature;
    for (std::int64_t e = offset_[i]; e < offset_[i + 1]; ++e) {
      if (count_[e] < 2) continue;
      const RisingFactorial own = rising_factorial(alpha * z_[e], count_[e]);
      first += own.slope;
      second += own.curvature;
    }
    // Without the penalty, which would pull the middle of the interval to alpha_0 = 1.
    slope[i] = weight_[i] * first;
    const double w = weight_[i] * second;
    for (std::int64_t a = 0; a < k; ++a)
      for (std::int64_t b = 0; b < k; ++b) hessian[a * k + b] += w * x[a] * x[b];
  }
  std::vector<double> direction(k, 0.0);  // of the curvature's inverse, for the intercept
  direction[0] = 1;
  if (!solve_in_place(std::move(hessian), direction) || !(direction[0] > 0)) return std::nullopt;
  std::map<std::int64_t, double> by_unit;
  double step = 0;  // Newton's, from the penalised optimum to that of the votes alone
  for (std::size_t i = 0; i < weight_.size(); ++i) {
    read_x(i);
    double along = 0;
    for (std::int64_t j = 0; j < k; ++j) along += direction[j] * x[j];
    by_unit[groups.empty() ? row_[i] : groups.code(row_[i])] += slope[i] * along;
    step -= slope[i] * along;
  }
  const auto units = static_cast<double>(by_unit.size());
  if (units < 2) return std::nullopt;
  double squares = 0;
  for (const auto& [unit, sum] : by_unit) squares += (sum + step / units) * (sum + step / units);
  const double error = std::sqrt(squares * units / (units - 1));
  // Student's t for few groups, in terms of the normal quantile of a 95% interval.
  const double wide = groups.empty() ? 1 : student_factor(1.959963984540054, units - 1);
  if (!std::isfinite(error) || !(std::abs(theta[0] + step) < kNearBound)) return std::nullopt;
  return AlphaSpread{theta[0] + step, error * wide};
}

}  // namespace plumb::detail
