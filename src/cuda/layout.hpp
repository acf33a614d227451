// The sums of a pass as 64-bit words, which threads add to in any order: sums of p in two halves, so that no
// word overflows below 2^32 contributions.
#pragma once

#include <cstdint>

#include "cuda/arithmetic.hpp"

namespace plumb::cuda {

// What a pass over a column computes beside its reliability table; a sum of these.
inline constexpr int kScores = 1;  ///< accuracy and Brier score (the column of class 1 of a binary task)
inline constexpr int kLog = 2;     ///< log-loss, with kScores
inline constexpr int kShares = 4;  ///< sums of p^2 and of the hits' p, for the losses of label histograms
inline constexpr int kFlip = 8;    ///< the column of class 0 of a binary task: 1 - p

// Words that belong to no table. A layered sum takes six: two halves of each integer.
inline constexpr int kCorrect = 0;
inline constexpr int kZero = 1;        ///< votes on probability 0
inline constexpr int kBrier = 2;       ///< six words
inline constexpr int kNll = 8;         ///< six words
inline constexpr int kEventLoss = 14;  ///< six words: several classes, log-loss of the event
inline constexpr int kEventZero = 20;
inline constexpr int kBadRow = 21;    ///< first row whose probabilities are not valid, or kNone
inline constexpr int kBadLabel = 22;  ///< first row whose label is not valid, or kNone
inline constexpr int kScalars = 24;
inline constexpr std::uint64_t kNone = ~std::uint64_t{0};

// Words of one bin: sums of q, of p^2 and of q over hits in two halves each.
inline constexpr int kCount = 0, kHits = 1, kLow = 2, kHigh = 3, kSquareLow = 4, kSquareHigh = 5, kHitLow = 6,
                     kHitHigh = 7, kBinWords = 8;

/// Table 0 is that of the event; with tables by class, table 1 + k is that of class k. Binary: table 0 is
/// that of class 1, too, and table 1 that of class 0.
PLUMB_BOTH std::int64_t word_of(std::int64_t table, int bins, int bin) {
  return kScalars + (table * bins + bin) * kBinWords;
}
inline std::int64_t table_count(int classes, bool by_class) {
  if (!by_class) return 1;
  return classes == 2 ? 2 : 1 + static_cast<std::int64_t>(classes);
}

PLUMB_BOTH std::uint64_t low_half(std::uint64_t x) { return x & 0xffffffffu; }
/// The upper half with its sign, as an integer that adds modulo 2^64.
PLUMB_BOTH std::uint64_t signed_high(std::uint64_t x) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> 32);
}

}  // namespace plumb::cuda
