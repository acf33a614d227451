// The loops that decide how fast a fit is, compiled for each SIMD target; the bits do not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::detail {

/// Rows in buffers are padded to a multiple of this.
inline constexpr std::int64_t kPad = 8;
[[nodiscard]] constexpr std::int64_t padded(std::int64_t n) { return (n + kPad - 1) / kPad * kPad; }

/// Behind the values of a padded row of differences: exp(beta x) is 0 for every temperature allowed, and no
/// product with that 0 is anything else.
inline constexpr double kPadding = -1e300;

/// d = u - max of the row and x = beta d, padded with kPadding.
void shift_rows(const float* u, std::size_t rows, std::size_t width, double beta, double* d, double* x);
void shift_rows(const double* u, std::size_t rows, std::size_t width, double beta, double* d, double* x);
/// Three sums per row over padded rows: s[3 i + q] = sum_k e_k d_k^q, in eight interleaved lanes.
void row_moments(const double* e, const double* d, std::size_t rows, std::size_t stride, double* s);

/// c += a b with a of m x n, element (i, k) at a[i * row_step + k * column_step] (a transposed matrix is only
/// other steps), b of n x `stride` and c of m x `stride`, row-major and padded. Each element of c takes its
/// terms in the order of k.
void add_product(const double* a, std::size_t row_step, std::size_t column_step, std::size_t m, std::size_t n,
                 const double* b, std::size_t stride, double* c);

}  // namespace plumb::detail
