// Integrated quadratic B-splines: with weights c_j >= 0 their sum is a monotone cubic, with all c_j = 1 the
// identity. Outside the knots it continues as a straight line.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb::detail {

using Cubic = std::array<double, 4>;  ///< a_0 + a_1 d + a_2 d^2 + a_3 d^3, d from the piece's origin

/// Pieces of one function: number #{knots <= x}, with origins k_0, k_0, k_1, ..., k_last.
struct PiecewiseCubic {
  std::vector<double> knots;
  std::vector<Cubic> pieces;  ///< std::ssize(knots) + 1
  [[nodiscard]] std::int64_t piece_of(double x) const;
  [[nodiscard]] double origin(std::int64_t piece) const { return knots[piece == 0 ? 0 : piece - 1]; }
  [[nodiscard]] double operator()(double x) const {
    const std::int64_t i = piece_of(x);
    const double d = x - origin(i);
    const Cubic& a = pieces[i];
    return a[0] + d * (a[1] + d * (a[2] + d * a[3]));
  }
};

/// knots.size() + 1 functions, each 0 at knots[reference]; knots strictly ascending, two at least.
[[nodiscard]] std::vector<PiecewiseCubic> integrated_splines(std::span<const double> knots,
                                                             std::int64_t reference);

}  // namespace plumb::detail
