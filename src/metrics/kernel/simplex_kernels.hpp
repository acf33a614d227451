// The inner loop of the Dirichlet kernel (SIMD): lanes are sources, each summed over classes in order.
#pragma once

#include <cstddef>

namespace plumb::detail {

/// out[j] = bias[j] + sum_k z[k * stride + j] * x[k] for j < count; returns the largest.
/// `out` has room for a multiple of 8.
double dirichlet_logits(const double* z, std::size_t stride, const double* x, std::size_t classes,
                        const double* bias, std::size_t count, double* out);
/// x[j] -= shift
void subtract_from(double* x, std::size_t count, double shift);

}  // namespace plumb::detail
