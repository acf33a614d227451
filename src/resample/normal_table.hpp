// The normal distribution for null draws, which ask for it N x B times: cubics between tabulated points. The
// error is below 1e-8 in the quantile and 1e-9 in the distribution function; a draw needs no more.
#pragma once

#include <span>

namespace plumb::detail {

[[nodiscard]] double table_normal_quantile(double u);  ///< 0 <= u < 1; u = 0 counts as 2^-54
[[nodiscard]] double table_normal_cdf(double x);       ///< in [0, 1)

/// u becomes Phi(shift + scale * quantile(u)), by row.
void shift_normals(std::span<const double> shift, double scale, std::span<double> u);

}  // namespace plumb::detail
