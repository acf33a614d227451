// The inner loops of the reliability tables, compiled once for each SIMD target. Only element-wise
// multiplications, minima, comparisons and conversions: the bits are the same on all of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb::detail {

/// forecasts whose places are found before they are added: they stay in L1
inline constexpr std::size_t kForecastChunk = 512;
inline constexpr std::size_t kPrivateTables = 8;
inline constexpr std::size_t kManyThresholds = 64;  ///< from here on a binary search beats counting

// A pair takes numbers as the floating-point unit leaves them, which saves two subtractions per forecast: p
// 2^50 + kMagic, whose bits are q more than those of kMagic, and h + kCountOne, whose bits below 52 are 2^32
// + h.
inline constexpr double kMagic = 6755399441055744.0;                    // 1.5 * 2^52, as in to_fixed
inline constexpr double kCountOne = 4503599627370496.0 + 4294967296.0;  // 2^52 + 2^32
inline constexpr std::uint64_t kOneForecast = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kMagicBits = std::bit_cast<std::uint64_t>(kMagic);
/// q <= 2^50, so that one more forecast could carry the sum over 2^64.
inline constexpr std::uint64_t kPairCapacity = (std::uint64_t{1} << (64 - kFractionBits)) - 1;

struct PairSums {
  std::uint64_t p, count, hits;
};
[[nodiscard]] inline PairSums read_pair(const Pair& pair) {
  const std::uint64_t count = (pair.counts & ((std::uint64_t{1} << 52) - 1)) >> 32;
  return {pair.sum - count * kMagicBits, count, pair.counts & 0xffffffffu};
}
[[nodiscard]] inline std::uint64_t raw_fixed(double p) {
  return std::bit_cast<std::uint64_t>(p * kFixedOne + kMagic);
}

/// Bin and q of n forecasts, n <= kForecastChunk.
void place_forecasts(const BinEdges& edges, const double* p, std::size_t n, std::int32_t* index,
                     std::uint64_t* fixed);

/// Adds n single votes to kPrivateTables tables that stand side by side, in turn, beginning with the first.
/// Fewer than kManyThresholds thresholds.
void add_binary(const BinEdges& edges, const double* p, const double* hits, std::size_t n, Pair* table);

/// The same for a resample: table m takes the forecasts that were drawn m times. Items drawn more than
/// kMostDrawn times go to table 0, which is ignored; the caller adds them.
inline constexpr std::uint32_t kMostDrawn = kPrivateTables - 1;
void add_drawn(const BinEdges& edges, const double* p, const double* hits, const std::uint32_t* times,
               std::size_t n, Pair* table);

/// Adds n probabilities, without hits, to tables of equal width; that of value i begins at word start[i].
void add_rows(const BinEdges& edges, const double* z, std::size_t n, const std::int32_t* start, Pair* table);

/// dense[j] += p 2^50 + kMagic (its bits) for n values, and in `found` the j with z[j] >= beyond[j]; returns
/// how many.
[[nodiscard]] std::size_t add_dense(const double* z, std::size_t n, const double* beyond,
                                    std::uint64_t* dense, std::uint32_t* found);

/// q = high * 2^25 + low: high[j] += mass * (high part), low[j] += mass * (low part); `found` as above.
[[nodiscard]] std::size_t add_dense_whole(const double* z, std::size_t n, std::uint32_t mass,
                                          const double* beyond, std::uint64_t* high, std::uint64_t* low,
                                          std::uint32_t* found);

}  // namespace plumb::detail
