// The inner loops over forecasts (SIMD). Chebyshev values of one forecast fill the lanes, so that the bits do
// not depend on the width of the vectors.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "metrics/kernel/chebyshev.hpp"
#include "plumb/data/forecasts.hpp"

namespace plumb::detail {

/// The boxes of BetaLayout: both sides, octaves first. `place` holds (centre, 1/half) of each box.
struct BetaTable {
  double n;  ///< alpha = max(r, least) n
  double least;
  double first_even;  ///< alpha from which boxes are even in 2 sqrt(alpha)
  double per_step;    ///< of them in a unit of 2 sqrt(alpha)
  double last_even;   ///< number of even boxes less one
  double octaves, first_octave;
  double boxes;  ///< of one side
  const double* place;
};
void locate_beta(const BetaTable& table, const double* p, std::size_t count, std::uint32_t* box, double* t);

/// Votes of an item that integers take.
inline constexpr std::uint32_t kMostNarrow = 1u << 10;
/// Whether an item of `mass` votes, each of weight w, is summed in integers. With weights T_k m is rounded to
/// a double; up to 8 T_k that is exact, so that small whole weights may go this way, too.
[[nodiscard]] inline bool is_narrow(const ForecastsView& f, double w, double mass) {
  if (f.weight.empty()) return mass <= kMostNarrow;
  return f.whole_counts && mass <= 8 && w == std::floor(w);
}

/// Integer accumulators of a box: [miss, hit][k], T_k in units of 2^-50.
inline constexpr std::size_t kNarrowOfBox = 32;

/// One vote each: hits[i] is 0 or 1.
void add_single(const std::uint32_t* box, const double* t, const double* hits, std::size_t count,
                std::int64_t* narrow);
/// misses[i] and hits[i] votes, each below 2^13.
void add_whole(const std::uint32_t* box, const double* t, const std::uint32_t* misses,
               const std::uint32_t* hits, std::size_t count, std::int64_t* narrow);
/// votes[i] votes below 2^12 with mean y[i], |y| <= 2: y T_k and (1 - y) T_k are rounded to units of 2^-50.
void add_real(const std::uint32_t* box, const double* t, const double* y, const std::uint32_t* votes,
              std::size_t count, std::int64_t* narrow);

/// Hits of several draws: hits[i * draws + d] of item i, each below 2^13; narrow is [box][draw][k].
void add_hits(const std::uint32_t* box, const double* t, const std::uint32_t* hits, std::size_t count,
              std::size_t draws, std::int64_t* narrow);

/// Two series of sixteen terms at t[i]: coefficient + 32 row[i] and + 16.
void evaluate_series(const std::uint32_t* row, const double* t, const double* coefficient, std::size_t count,
                     double* first, double* second);

/// One series for each draw, coefficient + 16 (draws row[i] + d), at t[i]: into out[d * stride + i].
void evaluate_draws(const std::uint32_t* row, const double* t, const double* coefficient, std::size_t count,
                    std::size_t draws, double* out, std::size_t stride);

/// out[i][l] = sum over m, in order, of a[i][m] b[m][l].
void multiply_grids(const Grid& a, const Grid& b, Grid& out);

/// target += block * moments, for `sets` of moments that follow each other, and their targets.
void apply_block(const Block& block, const Series* moments, Series* target, std::size_t sets);
/// target += block * moments, once and for two sets of moments side by side.
void apply_block(const Block& block, const Series& moments, Series& target);
void apply_block(const Block& block, const Series& first, const Series& second, Series& first_target,
                 Series& second_target);

}  // namespace plumb::detail
