// A thread's sums as words. `add(word, value)` is an addition modulo 2^64: atomic on the device.
#pragma once

#include "cuda/counters.hpp"

namespace plumb::cuda {

/// The words of one bin, from a thread's entry or from those of many threads.
struct BinWords {
  std::uint64_t word[kBinWords] = {};
  PLUMB_BOTH void take(const Columns& c, std::int64_t entry) {
    const std::uint32_t counts = c.counts[entry];
    word[kCount] += counts >> 16;
    word[kHits] += counts & 0xffffu;
    word[kLow] += low_half(c.sum[entry]);
    word[kHigh] += c.sum[entry] >> 32;
    if (c.squares == nullptr) return;
    word[kSquareLow] += low_half(c.squares[entry]);
    word[kSquareHigh] += c.squares[entry] >> 32;
    word[kHitLow] += low_half(c.hit_sum[entry]);
    word[kHitHigh] += c.hit_sum[entry] >> 32;
  }
};

template <class Sum, class Add>
PLUMB_BOTH void emit_sum(const Sum& sum, std::uint64_t terms, int at, Add add) {
  const std::uint64_t part[3] = {sum.first(terms), sum.second(terms), sum.last()};
  for (int i = 0; i < 3; ++i) {
    add(at + 2 * i, low_half(part[i]));
    add(at + 2 * i + 1, signed_high(part[i]));
  }
}

template <class P, class L, int kWork, class Add>
PLUMB_BOTH void emit_scalars(const ColumnCounter<P, L, kWork>& c, std::uint64_t seen, Add add) {
  if constexpr ((kWork & kScores) != 0) {
    add(kCorrect, c.correct);
    emit_sum(c.brier, seen, kBrier, add);
    if constexpr ((kWork & kLog) != 0) {
      add(kZero, c.zero);
      emit_sum(c.nll, seen, kNll, add);
    }
  }
}
template <class L, int kWork, class Add>
PLUMB_BOTH void emit_scalars(const RowCounter<L, kWork>& c, std::uint64_t seen, Add add) {
  add(kCorrect, c.correct);
  emit_sum(c.brier, seen, kBrier, add);
  if constexpr ((kWork & kLog) != 0) {
    add(kZero, c.zero);
    add(kEventZero, c.event_zero);
    emit_sum(c.nll, seen, kNll, add);
    emit_sum(c.event_loss, seen, kEventLoss, add);
  }
}

}  // namespace plumb::cuda
