// Chebyshev polynomials at sixteen nodes, and the scalar twin of the vector code in box_kernels.cpp.
#pragma once

#include <array>
#include <cstddef>

#include "plumb/metrics/kernel/box_moments.hpp"

namespace plumb::detail {

using Series = std::array<double, kMoments>;
using Grid = std::array<Series, kMoments>;

// T_0 .. T_3 by Horner's rule; then T_{k+4} = 2 T_4 T_k - T_{|k-4|}, four at a time.
// The coefficients are the vector code's.
inline constexpr double kLow3[4] = {0, 0, 0, 4}, kLow2[4] = {0, 0, 2, 0}, kLow1[4] = {0, 1, 0, -3},
                        kLow0[4] = {1, 0, -1, 0};
// T_4, T_3, T_2, T_1
inline constexpr double kTurn4[4] = {8, 0, 0, 0}, kTurn3[4] = {0, 4, 0, 0}, kTurn2[4] = {-8, 0, 2, 0},
                        kTurn1[4] = {0, -3, 0, 1}, kTurn0[4] = {1, 0, -1, 0};

/// T_0(t), ..., T_15(t).
inline Series chebyshev(double t) {
  Series v;
  const double w = t * t;
  const double twice_t4 = 2.0 * (8.0 * (w * (w - 1.0)) + 1.0);
  for (std::size_t i = 0; i < 4; ++i) {
    v[i] = ((kLow3[i] * t + kLow2[i]) * t + kLow1[i]) * t + kLow0[i];
    const double turn = (((kTurn4[i] * t + kTurn3[i]) * t + kTurn2[i]) * t + kTurn1[i]) * t + kTurn0[i];
    v[4 + i] = twice_t4 * v[i] - turn;
  }
  for (std::size_t i = 8; i < kMoments; ++i) v[i] = twice_t4 * v[i - 4] - v[i - 8];
  return v;
}

/// The node cos((m + 1/2) pi / 16), descending in m.
[[nodiscard]] double chebyshev_node(int m);
/// analysis()[k][m]: coefficient k of the series through values at the nodes is the sum over m of
/// analysis()[k][m] f(node m).
[[nodiscard]] const Grid& chebyshev_analysis();

/// What a series with coefficients of this size leaves out.
[[nodiscard]] double tail_of(const Series& size);

/// The kernel between two boxes: entry [k][i] takes moment k of the source box to coefficient i of the
/// series on the target box. `error` bounds what is cut off, for a source box of mass one: the last two
/// rows and columns.
struct Block {
  Grid entry;
  double error = 0;
};
/// From kernel values, value[m][l] at target node m and source node l.
[[nodiscard]] Block make_block(const Grid& value);

}  // namespace plumb::detail
