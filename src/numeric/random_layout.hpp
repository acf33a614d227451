// Where each random number stands: which Philox block, which of its words. Shared by the scalar and the SIMD
// code.
//   key     = seed
//   counter = (unit low, unit high, group of replicates, stream)
// A block of four words serves the four replicates 4g..4g+3 in a word stream (one word each), and the two
// replicates 2g and 2g+1 in a pair stream (two words each): a number depends on nothing but (seed, purpose,
// replicate, unit), and a caller who wants many replicates of a unit uses all of each block.
#pragma once

#include <cstdint>

#include "plumb/numeric/random.hpp"

namespace plumb::random_layout {

inline constexpr int kRounds = 10;
inline constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
inline constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
inline constexpr std::uint32_t kWeyl1 = 0xBB67AE85;

// Word and pair streams of one purpose differ, so that they never share a block.
constexpr std::uint32_t pair_stream(Purpose p) { return static_cast<std::uint32_t>(p); }
constexpr std::uint32_t word_stream(Purpose p) { return static_cast<std::uint32_t>(p) | 0x80000000; }

constexpr std::uint32_t low_half(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high_half(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// A Poisson(1) variable is the number of thresholds that a uniform 32-bit word reaches: kPoisson[k] = 2^32
// P(X <= k), rounded. Each probability is within 2^-32 of its own; 13 and more (probability 6.4e-11) do not
// occur.
inline constexpr std::uint32_t kPoisson[12] = {1580030169, 3160060337, 3950075422, 4213413783,
                                               4279248374, 4292415292, 4294609778, 4294923276,
                                               4294962463, 4294966817, 4294967253, 4294967292};

constexpr std::uint32_t poisson_of(std::uint32_t word) {
  std::uint32_t count = 0;
  for (const std::uint32_t threshold : kPoisson) count += word >= threshold ? 1 : 0;
  return count;
}

}  // namespace plumb::random_layout
