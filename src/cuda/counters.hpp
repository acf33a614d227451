// What one thread keeps while it visits rows. On the device a bin's sums lie in shared memory, a column of it
// for each thread, so that nothing races; on the host, where tests run them, in a plain array.
#pragma once

#include <cstdint>

#include "cuda/layout.hpp"

namespace plumb::cuda {

/// Sums of a thread by bin: entry `bin` stands at bin * stride.
struct Columns {
  std::uint64_t* sum;      ///< of q
  std::uint64_t* squares;  ///< of p^2; null without kShares
  std::uint64_t* hit_sum;  ///< of q over hits; null likewise
  std::uint32_t* counts;   ///< forecasts in the upper 16 bits, hits in the lower ones
  int stride;

  PLUMB_BOTH void clear(int bins) const {
    for (int b = 0; b < bins; ++b) {
      sum[b * stride] = 0;
      counts[b * stride] = 0;
      if (squares == nullptr) continue;
      squares[b * stride] = 0;
      hit_sum[b * stride] = 0;
    }
  }
  /// Forecasts of this thread.
  PLUMB_BOTH std::uint64_t total(int bins) const {
    std::uint64_t n = 0;
    for (int b = 0; b < bins; ++b) n += counts[b * stride] >> 16;
    return n;
  }
  PLUMB_BOTH void add(const Place& at, bool hit) const {
    const int i = at.bin * stride;
    sum[i] += at.q;
    counts[i] += 65536u + (hit ? 1u : 0u);
  }
  PLUMB_BOTH void add_shares(const Place& at, double p, bool hit) const {
    const int i = at.bin * stride;
    squares[i] += fixed_of(p * p);
    if (hit) hit_sum[i] += at.q;
  }
};

/// Where the first invalid rows are.
struct FirstBad {
  std::uint64_t row = kNone, label = kNone;
  PLUMB_BOTH void note_row(std::int64_t i) {
    if (static_cast<std::uint64_t>(i) < row) row = static_cast<std::uint64_t>(i);
  }
  PLUMB_BOTH void note_label(std::int64_t i) {
    if (static_cast<std::uint64_t>(i) < label) label = static_cast<std::uint64_t>(i);
  }
};

template <class L>
PLUMB_BOTH bool is_class(L label, std::uint32_t classes) {
  // A negative label of one byte is a large one without sign.
  if constexpr (sizeof(L) == 1) return static_cast<std::uint8_t>(label) < classes;
  if constexpr (sizeof(L) == 4) return static_cast<std::uint32_t>(label) < classes;
  return static_cast<std::uint64_t>(label) < classes;
}

/// Forecasts of one class, single votes of weight one.
template <class P, class L, int kWork>
struct ColumnCounter {
  Columns columns;
  int bins = 0;
  std::uint32_t cls = 0, classes = 0;
  std::uint32_t correct = 0, zero = 0;
  SquareSum brier = {};
  LogSum nll = {};
  FirstBad bad = {};

  static constexpr bool kBinary = (kWork & (kScores | kFlip)) != 0;
  PLUMB_BOTH bool valid(P p) const { return p >= 0 && p <= 1; }
  PLUMB_BOTH bool known(L label) const { return is_class(label, kBinary ? 2u : classes); }

  PLUMB_BOTH void add(P p, L label, std::int64_t row) {
    if (valid(p) && known(label)) return add_valid(p, label);
    if (!valid(p)) bad.note_row(row);
    if (!known(label)) bad.note_label(row);
  }
  /// Four in a row, checked together: no branch between them.
  PLUMB_BOTH void add_four(const P (&p)[4], const L (&label)[4], std::int64_t row) {
    unsigned bad_ones = 0;
    for (int k = 0; k < 4; ++k)
      bad_ones |= static_cast<unsigned>(!valid(p[k])) | static_cast<unsigned>(!known(label[k]));
    if (bad_ones == 0) {
      for (int k = 0; k < 4; ++k) add_valid(p[k], label[k]);
    } else {
      for (int k = 0; k < 4; ++k) add(p[k], label[k], row + k);
    }
  }

  PLUMB_BOTH void add_valid(P p, L label) {
    const bool hit = static_cast<std::uint32_t>(label) == cls;
    if constexpr ((kWork & kFlip) != 0) {
      const double other = 1.0 - wide_of(p);
      add_place(place_of(other, bins), other, hit);
    } else if constexpr ((kWork & kShares) != 0) {
      add_place(place_of(p, bins), wide_of(p), hit);
    } else {
      columns.add(place_of(p, bins), hit);
    }
    if constexpr ((kWork & kScores) != 0) {
      correct += hit == (p > P{0.5}) ? 1u : 0u;
      add_scores(wide_of(p), hit);
    }
  }

  PLUMB_BOTH void add_place(const Place& at, double p, bool hit) const {
    columns.add(at, hit);
    if constexpr ((kWork & kShares) != 0) columns.add_shares(at, p, hit);
  }

  PLUMB_BOTH void add_scores(double p, bool hit) {
    const double voted = hit ? p : 1.0 - p, missing = 1.0 - voted;
    brier.add(missing * missing);
    if constexpr ((kWork & kLog) != 0) {
      zero += voted == 0 ? 1u : 0u;
      nll.add(voted == 0 ? 0.0 : -log_of(voted));  // votes on 0 are counted, not summed
    }
  }
};

/// One of the eight lanes of a row of several classes: value j belongs to lane j mod 8, as in row_sums(),
/// row_tops() and the squares of the Brier score.
inline constexpr int kLanes = 8;
struct RowLane {
  double sum = 0, square = 0, best = -1;
  std::int32_t place = 0x7fffffff;
  std::int32_t bad = 0;
  PLUMB_BOTH void add(double z, std::int32_t j) {
    if (!(z >= 0 && z <= 1)) bad = 1;
    sum += z;
    square += z * z;
    if (z > best) {
      best = z;
      place = j;
    }
  }
  /// Lane l takes lane l + 4, then l + 2, then l + 1; the lowest place of the largest value.
  PLUMB_BOTH void fold(const RowLane& other) {
    sum += other.sum;
    square += other.square;
    bad |= other.bad;
    if (other.best > best || (other.best == best && other.place < place)) {
      best = other.best;
      place = other.place;
    }
  }
};

/// A row by one thread: the eight lanes of its sums in turn, and the top value as it comes. For few classes.
inline constexpr int kMostShort = 32;
template <class P>
PLUMB_BOTH RowLane whole_row(const P* row, int classes) {
  double sum[kLanes] = {}, square[kLanes] = {};
  RowLane out;
  for (int begin = 0; begin < classes; begin += kLanes) {
    PLUMB_UNROLL
    for (int l = 0; l < kLanes; ++l) {
      if (begin + l >= classes) break;
      const double z = static_cast<double>(row[begin + l]);
      if (!(z >= 0 && z <= 1)) out.bad = 1;
      sum[l] += z;
      square[l] += z * z;
      if (z > out.best) {
        out.best = z;
        out.place = begin + l;
      }
    }
  }
  PLUMB_UNROLL
  for (int h = kLanes / 2; h > 0; h /= 2) {
    PLUMB_UNROLL
    for (int l = 0; l < h; ++l) {
      sum[l] += sum[l + h];
      square[l] += square[l + h];
    }
  }
  out.sum = sum[0];
  out.square = square[0];
  return out;
}

/// Rows of three classes or more: the event is that the label is the top one.
template <class L, int kWork>
struct RowCounter {
  Columns columns;
  int bins = 0;
  std::uint32_t classes = 0;
  std::uint32_t correct = 0, zero = 0, event_zero = 0;
  SquareSum brier = {};
  LogSum nll = {}, event_loss = {};
  FirstBad bad = {};

  /// Of the folded lanes; false: nothing more is to be added.
  PLUMB_BOTH bool check(const RowLane& all, L label, std::int64_t row) {
    constexpr double kTolerance = 1e-3 + 1e-12;  // kSumTolerance of data/predictions.hpp
    const double off = all.sum - 1;
    const bool inside = all.bad == 0 && (off < 0 ? -off : off) <= kTolerance;
    const bool known = is_class(label, classes);
    if (!inside) bad.note_row(row);
    if (!known) bad.note_label(row);
    return inside && known;
  }
  PLUMB_BOTH void add(const RowLane& all, L label, double voted) {
    const bool hit = static_cast<std::uint64_t>(label) == static_cast<std::uint64_t>(all.place);
    columns.add(place_of(all.best, bins), hit);
    correct += hit ? 1u : 0u;
    const double missing = 1.0 - voted, others = all.square - voted * voted;
    brier.add(others + missing * missing);
    if constexpr ((kWork & kLog) != 0) {
      zero += voted == 0 ? 1u : 0u;
      nll.add(voted == 0 ? 0.0 : -log_of(voted));
      const double event = hit ? all.best : 1.0 - all.best;
      event_zero += event == 0 ? 1u : 0u;
      event_loss.add(event == 0 ? 0.0 : -log_of(event));
    }
  }
};

}  // namespace plumb::cuda
