// The address of each random number: which Philox block, and which of its words.
// Shared by scalar and SIMD code.
//   key     = seed
//   counter = (block low, block high, replicate, stream)
// A block of four words serves the units 4b to 4b+3 in a word stream (one word each), and the units 2b and
// 2b+1 in a pair stream (two words each). A number depends only on (seed, purpose, replicate, unit), and
// consecutive units use every word of a block.
#pragma once

#include <array>
#include <cstdint>

#include "plumb/numeric/random.hpp"

namespace plumb::detail {

inline constexpr int kPhiloxRounds = 10;
inline constexpr std::uint32_t kPhiloxMultiplier0 = 0xD2511F53;
inline constexpr std::uint32_t kPhiloxMultiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t kPhiloxWeyl0 = 0x9E3779B9;
inline constexpr std::uint32_t kPhiloxWeyl1 = 0xBB67AE85;

// Word and pair streams of one purpose differ, so that they never share a block.
constexpr std::uint32_t pair_stream(Purpose p) { return static_cast<std::uint32_t>(p); }
constexpr std::uint32_t word_stream(Purpose p) { return static_cast<std::uint32_t>(p) | 0x80000000; }

constexpr std::uint32_t low_half(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high_half(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

inline std::array<std::uint32_t, 4> philox_block(std::uint64_t seed, std::uint32_t stream,
                                                 std::uint32_t replicate, std::uint64_t block) {
  return philox4x32({low_half(block), high_half(block), replicate, stream},
                    {low_half(seed), high_half(seed)});
}

// The upper 53 bits as a multiple of 2^-53.
inline double uniform_of(std::uint64_t bits) { return static_cast<std::int64_t>(bits >> 11) * 0x1p-53; }

// A Poisson(1) variable is the number of thresholds that a uniform 32-bit word reaches: kPoisson[k] = 2^32
// P(X <= k), rounded. Each probability is within 2^-32 of the true one;
// 13 or more (probability 6.4e-11) never occurs.
inline constexpr std::uint32_t kPoisson[12] = {1580030169, 3160060337, 3950075422, 4213413783,
                                               4279248374, 4292415292, 4294609778, 4294923276,
                                               4294962463, 4294966817, 4294967253, 4294967292};

constexpr std::uint32_t poisson_of(std::uint32_t word) {
  std::uint32_t count = 0;
  for (const std::uint32_t threshold : kPoisson) count += word >= threshold ? 1 : 0;
  return count;
}

}  // namespace plumb::detail
