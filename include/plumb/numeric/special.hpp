// Special functions on the portable exp and log: the same bits on every machine, a few ulp from the truth
// (docs/numerics.md). Outside its domain a function gives its limit (an infinity) or NaN.
#pragma once

namespace plumb {

[[nodiscard]] double log_gamma(double x);        ///< log Gamma(x), x > 0
[[nodiscard]] double normal_quantile(double p);  ///< 0 < p < 1
[[nodiscard]] double normal_cdf(double x);
/// P(X > x) for X chi-square with that many degrees of freedom, at least 1.
[[nodiscard]] double chi_square_tail(double x, int degrees);

}  // namespace plumb
