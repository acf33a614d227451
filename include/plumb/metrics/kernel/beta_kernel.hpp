// The Beta kernel on [0, 1]:
// k(x; q) is the density at x of Beta(q/h + 1, (1 - q)/h + 1) (Chen 1999), whose mode is q.
#pragma once

namespace plumb {

inline constexpr double kSmallestBandwidth = 1e-5;
inline constexpr double kLargestBandwidth = 1.0;

/// Throws InputError unless 1e-5 <= h <= 1.
void check_bandwidth(double h);

/// A probability by its distance r <= 1/2 from the nearer end, so that values near 1 are as sharp as values
/// near 0.
struct EndDistance {
  double r = 0;
  bool upper = false;  ///< p = 1 - r
  [[nodiscard]] static EndDistance from(double p) {
    return p <= 0.5 ? EndDistance{p, false} : EndDistance{1.0 - p, true};
  }
  [[nodiscard]] double p() const { return upper ? 1.0 - r : r; }
};

/// log k(x; q) and log (k(x; q) / k(x; x)), by Stirling's series and the deviance, so that their error is
/// some 1e-15 of the deviance and not of 1/h. 0 < x < 1, 0 <= q <= 1. At x = 0: k(0; 0) = 1/h + 1 and k(0; q)
/// = 0 for q > 0; likewise at 1.
[[nodiscard]] double log_beta_kernel(EndDistance x, EndDistance q, double h);
[[nodiscard]] double log_beta_kernel_ratio(EndDistance x, EndDistance q, double h);
[[nodiscard]] double log_beta_kernel_peak(EndDistance x, double h);  ///< log k(x; x)

/// log Gamma(a + 1) - a log a + a, a >= 0.
[[nodiscard]] double stirling_rest(double a);

}  // namespace plumb
