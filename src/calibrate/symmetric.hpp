// Small dense symmetric matrices, row-major: the same operations in the same order everywhere.
#pragma once

#include <cstddef>
#include <span>

namespace plumb::detail {

/// Lower Cholesky factor in place (only the lower half is read and written). A pivot that is not above
/// `floor` becomes `floor`.
void factor(std::span<double> a, std::size_t n, double floor);
/// Solves with that factor, in place.
void solve(std::span<const double> l, std::size_t n, std::span<double> b);

/// Eigenvalues of `a`, which is destroyed, and the eigenvectors as the rows of `vectors`, by
/// Jacobi's rotations.
void eigen(std::span<double> a, std::size_t n, std::span<double> values, std::span<double> vectors);

}  // namespace plumb::detail
