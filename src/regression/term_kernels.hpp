// What each entry of a block adds to the sums, on SIMD: the same bits on every target.
#pragma once

#include <cstddef>

namespace plumb::detail {

/// Errors beyond this many standard deviations have no usable z: the entry is degenerate, like a variance
/// of 0.
inline constexpr double kMaxZ = 1e17;

/// sigma = sqrt(v), abs_err = |e|, err2 = e^2, abs_z = |e| / sigma, z2 = abs_z^2, half = -z2 / 2.
/// Returns how many entries are degenerate; their abs_z is infinite, or 0 where the error is 0, and z2
/// and half are finite.
[[nodiscard]] std::size_t entry_terms(const double* e, const double* v, std::size_t n, double* sigma,
                                      double* abs_err, double* err2, double* abs_z, double* z2, double* half);

/// CRPS of a Gaussian, sigma (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)), from exponential = exp(-z^2 / 2).
void crps_terms(const double* sigma, const double* abs_z, const double* exponential, std::size_t n,
                double* out);

/// How many of x are at most q.
[[nodiscard]] std::size_t count_at_most(const double* x, std::size_t n, double q);

/// Bin of x in [low, high]: min(int((x - low) * scale), bins - 1), or `bins` outside.
void place_bins(const double* x, std::size_t n, double low, double high, int bins, double* bin);

}  // namespace plumb::detail
