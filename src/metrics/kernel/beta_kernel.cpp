#include "plumb/metrics/kernel/beta_kernel.hpp"

#include <cmath>
#include <limits>

#include "metrics/kernel/beta_point.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

constexpr double kTwoPi = 6.283185307179586476925;
constexpr double kNoDensity = -std::numeric_limits<double>::infinity();

// Stirling's series of log Gamma(a + 1) - (a + 1/2) log a + a - log(2 pi)/2; below 1e-16 off from a = 16 on.
double stirling_series(double a) {
  const double z = 1.0 / (a * a);
  return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) / a;
}

// The deviance a log(a/b) + b - a, given d = a - b and log(a/b) too (Loader 2000): d is known better than the
// difference of the rounded numbers, and where it is small the logarithm is not used. a >= 0, b > 0.
double deviance(double a, double b, double d, double log_ratio_ab) {
  if (a == 0.0) return b;
  if (std::abs(d) >= 0.1 * (a + b)) return a * log_ratio_ab - d;
  const double v = d / (a + b);
  const double vv = v * v;
  // log(a/b) = 2 atanh(v); the terms left out are below 1e-16 of the first at |v| = 0.1.
  const double tail =
      1.0 / 3 +
      vv * (1.0 / 5 + vv * (1.0 / 7 + vv * (1.0 / 9 + vv * (1.0 / 11 + vv * (1.0 / 13 + vv / 15)))));
  return d * v + 2.0 * a * v * vv * tail;
}

}  // namespace

void check_bandwidth(double h) {
  if (h >= kSmallestBandwidth && h <= kLargestBandwidth) return;
  throw InputError("the bandwidth is " + show(h) + "; it must be a number from 0.00001 to 1, or auto");
}

double stirling_rest(double a) {
  if (a == 0.0) return 0.0;
  if (a >= 16.0) return 0.5 * log_portable(kTwoPi * a) + stirling_series(a);
  double product = 1.0;  // Gamma(a + 17) / Gamma(a + 1)
  for (int i = 1; i <= 16; ++i) product *= a + i;
  const double b = a + 16.0;
  const double log_gamma =
      (b + 0.5) * log_portable(b) - b + (0.5 * log_portable(kTwoPi) + stirling_series(b));
  return log_gamma - log_portable(product) - a * log_portable(a) + a;
}

detail::BetaPoint detail::beta_point(EndDistance e, double n) {
  const double far = 1.0 - e.r;
  BetaPoint p{e.upper ? far : e.r, e.upper ? e.r : far, 0.0, 0.0, 0.0};
  p.log_low = log_portable(p.low);
  p.log_high = log_portable(p.high);
  p.rest = stirling_rest(n * p.low) + stirling_rest(n * p.high);
  return p;
}

double detail::log_ratio(const BetaPoint& x, const BetaPoint& q, double n) {
  // The difference is taken on the side where both are small, and hence exact.
  const double d = n * (x.high < 0.5 && q.high < 0.5 ? x.high - q.high : q.low - x.low);
  const double away = deviance(n * q.low, n * x.low, d, q.log_low - x.log_low) +
                      deviance(n * q.high, n * x.high, -d, q.log_high - x.log_high);
  return (x.rest - q.rest) - away;
}

double log_beta_kernel_ratio(EndDistance x, EndDistance q, double h) {
  if (x.r == 0.0) return q.r == 0.0 && q.upper == x.upper ? 0.0 : kNoDensity;
  const double n = 1.0 / h;
  return detail::log_ratio(detail::beta_point(x, n), detail::beta_point(q, n), n);
}

double log_beta_kernel_peak(EndDistance x, double h) {
  const double n = 1.0 / h;
  return log_portable(n + 1.0) + stirling_rest(n) - detail::beta_point(x, n).rest;
}

double log_beta_kernel(EndDistance x, EndDistance q, double h) {
  return log_beta_kernel_peak(x, h) + log_beta_kernel_ratio(x, q, h);
}

}  // namespace plumb
