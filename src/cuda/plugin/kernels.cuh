// The kernels. Each thread counts its rows on its own (cuda/counters.hpp); at the end the threads of a block
// add up their bins, and the blocks add to the words of the pass. Nothing but integers is added between
// threads, so that the order does not matter.
#pragma once

#include "cuda/emit.hpp"

namespace plumb::cuda {

constexpr int kRowThreads = 256;  // at most, per block
/// Logarithms need more registers than tables.
__host__ __device__ constexpr int column_threads(int work) { return (work & kLog) != 0 ? 256 : 512; }
__host__ __device__ constexpr int column_blocks(int work) { return (work & kLog) != 0 ? 3 : 2; }
constexpr unsigned kWarp = 0xffffffffu;

/// A column of forecasts: value i is p[i * stride], or with `pairs` the second of two that must sum to 1.
template <class P, class L>
struct ColumnRows {
  const P* p;
  const L* labels;
  std::int64_t rows, first_row;  ///< first_row: number of the first one, for messages
  std::int64_t stride;
  bool pairs, quads;  ///< quads: contiguous, and aligned for loads of four values
};
struct Target {
  std::uint64_t* words;
  std::int64_t table;
  int bins, classes, cls;
};

__device__ inline std::uint64_t warp_sum(std::uint64_t x) {
  for (int o = 16; o > 0; o /= 2) x += __shfl_down_sync(kWarp, x, o);
  return x;
}

/// All threads of a warp call it with the same word.
struct WarpAdd {
  std::uint64_t* words;
  __device__ void operator()(std::int64_t word, std::uint64_t value) const {
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0 && value != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(words + word), value);
  }
};

__device__ inline void emit_bad(const FirstBad& bad, std::uint64_t* words) {
  if (bad.row != kNone) atomicMin(reinterpret_cast<unsigned long long*>(words + kBadRow), bad.row);
  if (bad.label != kNone) atomicMin(reinterpret_cast<unsigned long long*>(words + kBadLabel), bad.label);
}

/// The columns of a block in shared memory: `stride` entries for each bin.
__device__ inline Columns block_columns(unsigned char* memory, int bins, int stride, bool shares) {
  const std::int64_t n = static_cast<std::int64_t>(bins) * stride;
  auto* words = reinterpret_cast<std::uint64_t*>(memory);
  auto* counts = reinterpret_cast<std::uint32_t*>(words + (shares ? 3 : 1) * n);
  return {words, shares ? words + n : nullptr, shares ? words + 2 * n : nullptr, counts, stride};
}
__device__ inline Columns entry_of(Columns c, int entry) {
  c.sum += entry;
  c.counts += entry;
  if (c.squares != nullptr) {
    c.squares += entry;
    c.hit_sum += entry;
  }
  return c;
}
__host__ __device__ constexpr int entry_bytes(bool shares) { return shares ? 28 : 12; }

/// After __syncthreads(): a warp for each bin.
__device__ inline void emit_columns(const Columns& all, const Target& to) {
  const int lane = threadIdx.x % 32, warps = (blockDim.x + 31) / 32;
  for (int b = threadIdx.x / 32; b < to.bins; b += warps) {
    BinWords w;
    for (int j = lane; j < all.stride; j += 32)
      w.take(all, static_cast<std::int64_t>(b) * all.stride + j);
    const std::int64_t at = word_of(to.table, to.bins, b);
    for (int i = 0; i < kBinWords; ++i) WarpAdd{to.words}(at + i, w.word[i]);
  }
}

// Four values at a time, past the first-level cache: each is read once.
template <class T>
struct Four {
  T v[4];
};
__device__ inline Four<float> load_four(const float* x) {
  const float4 a = __ldcs(reinterpret_cast<const float4*>(x));
  return {{a.x, a.y, a.z, a.w}};
}
__device__ inline Four<double> load_four(const double* x) {
  const double2 a = __ldcs(reinterpret_cast<const double2*>(x));
  const double2 b = __ldcs(reinterpret_cast<const double2*>(x) + 1);
  return {{a.x, a.y, b.x, b.y}};
}
__device__ inline Four<std::uint8_t> load_four(const std::uint8_t* x) {
  const uchar4 a = __ldcs(reinterpret_cast<const uchar4*>(x));
  return {{a.x, a.y, a.z, a.w}};
}
__device__ inline Four<std::int32_t> load_four(const std::int32_t* x) {
  const int4 a = __ldcs(reinterpret_cast<const int4*>(x));
  return {{a.x, a.y, a.z, a.w}};
}
__device__ inline Four<std::int64_t> load_four(const std::int64_t* x) {
  const longlong2 a = __ldcs(reinterpret_cast<const longlong2*>(x));
  const longlong2 b = __ldcs(reinterpret_cast<const longlong2*>(x) + 1);
  return {{a.x, a.y, b.x, b.y}};
}

template <class Counter, class P, class L>
__device__ __forceinline__ void add_row(Counter& counter, const ColumnRows<P, L>& in, std::int64_t i) {
  const L label = in.labels[i];
  if (!in.pairs) return counter.add(in.p[i * in.stride], label, in.first_row + i);
  const P zero = in.p[2 * i], one = in.p[2 * i + 1];
  const double off = static_cast<double>(zero) + static_cast<double>(one) - 1;
  const bool good = zero >= 0 && zero <= 1 && (off < 0 ? -off : off) <= 1e-3 + 1e-12;
  counter.add(good ? one : P{-1}, label, in.first_row + i);
}

template <class P, class L, int kWork>
__global__ __launch_bounds__(column_threads(kWork), column_blocks(kWork)) void column_pass(ColumnRows<P, L> in, Target to) {
  extern __shared__ __align__(16) unsigned char memory[];
  constexpr int kAtOnce = sizeof(P) + sizeof(L) <= 8 ? 4 : 2;
  const Columns all = block_columns(memory, to.bins, blockDim.x, (kWork & kShares) != 0);
  ColumnCounter<P, L, kWork> counter{entry_of(all, threadIdx.x), to.bins, static_cast<std::uint32_t>(to.cls),
                                     static_cast<std::uint32_t>(to.classes)};
  counter.columns.clear(to.bins);
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t me = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  std::int64_t done = 0;
  if (in.quads) {
    const std::int64_t quads = in.rows / 4;
    const auto add = [&](const Four<P>& p, const Four<L>& y, std::int64_t quad) {
      counter.add_four(p.v, y.v, in.first_row + 4 * quad);
    };
    std::int64_t i = me;
    for (; i + (kAtOnce - 1) * stride < quads; i += kAtOnce * stride) {
      Four<P> p[kAtOnce];
      Four<L> y[kAtOnce];
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) {
        p[u] = load_four(in.p + 4 * (i + u * stride));
        y[u] = load_four(in.labels + 4 * (i + u * stride));
      }
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) add(p[u], y[u], i + u * stride);
    }
    for (; i < quads; i += stride) add(load_four(in.p + 4 * i), load_four(in.labels + 4 * i), i);
    done = 4 * quads;
  }
  for (std::int64_t i = done + me; i < in.rows; i += stride) add_row(counter, in, i);
  const std::uint64_t seen = counter.columns.total(to.bins);
  __syncthreads();
  emit_columns(all, to);
  emit_scalars(counter, seen, WarpAdd{to.words});
  emit_bad(counter.bad, to.words);
}

/// Rows of three classes or more, eight threads each.
template <class P, class L>
struct WideRows {
  const P* p;
  const L* labels;
  std::int64_t rows, first_row;
};

template <class P, class L, int kWork>
__global__ __launch_bounds__(kRowThreads, 4) void row_pass(WideRows<P, L> in, Target to) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int groups = blockDim.x / kLanes, group = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const unsigned mask = 0xffu << (8 * (group % 4));
  const Columns all = block_columns(memory, to.bins, groups, false);
  RowCounter<L, kWork> counter{entry_of(all, group), to.bins, static_cast<std::uint32_t>(to.classes)};
  if (lane == 0) counter.columns.clear(to.bins);
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * groups;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * groups + group; i < in.rows; i += stride) {
    const P* const row = in.p + i * to.classes;
    RowLane own;
#pragma unroll 4
    for (int j = lane; j < to.classes; j += kLanes) own.add(static_cast<double>(row[j]), j);
    for (int o = kLanes / 2; o > 0; o /= 2) {
      RowLane other;
      other.sum = __shfl_down_sync(mask, own.sum, o, kLanes);
      other.square = __shfl_down_sync(mask, own.square, o, kLanes);
      other.best = __shfl_down_sync(mask, own.best, o, kLanes);
      other.place = __shfl_down_sync(mask, own.place, o, kLanes);
      other.bad = __shfl_down_sync(mask, own.bad, o, kLanes);
      own.fold(other);
    }
    if (lane != 0) continue;
    const L label = in.labels[i];
    if (counter.check(own, label, in.first_row + i))
      counter.add(own, label, static_cast<double>(row[static_cast<std::int64_t>(label)]));
  }
  const std::uint64_t seen = lane == 0 ? counter.columns.total(to.bins) : 0;
  __syncthreads();
  emit_columns(all, to);
  emit_scalars(counter, seen, WarpAdd{to.words});
  emit_bad(counter.bad, to.words);
}

/// The same with one thread for each row: few classes.
template <class P, class L, int kWork>
__global__ __launch_bounds__(kRowThreads, 2) void short_row_pass(WideRows<P, L> in, Target to) {
  extern __shared__ __align__(16) unsigned char memory[];
  const Columns all = block_columns(memory, to.bins, blockDim.x, false);
  RowCounter<L, kWork> counter{entry_of(all, threadIdx.x), to.bins, static_cast<std::uint32_t>(to.classes)};
  counter.columns.clear(to.bins);
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < in.rows;
       i += stride) {
    const P* const row = in.p + i * to.classes;
    const L label = in.labels[i];
    const RowLane whole = whole_row(row, to.classes);
    if (counter.check(whole, label, in.first_row + i))
      counter.add(whole, label, static_cast<double>(row[static_cast<std::int64_t>(label)]));
  }
  const std::uint64_t seen = counter.columns.total(to.bins);
  __syncthreads();
  emit_columns(all, to);
  emit_scalars(counter, seen, WarpAdd{to.words});
  emit_bad(counter.bad, to.words);
}

/// Keeps the values of the first bad row, if it is among these rows: `values` of a row, then the label.
template <class P, class L>
__global__ void keep_bad(const P* p, const L* labels, std::int64_t rows, std::int64_t first_row, int columns,
                         const std::uint64_t* words, double* values) {
  const std::uint64_t row = words[kBadRow] - first_row, label = words[kBadLabel] - first_row;
  if (words[kBadRow] != kNone && row < static_cast<std::uint64_t>(rows))
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
      values[j] = static_cast<double>(p[static_cast<std::int64_t>(row) * columns + j]);
  if (threadIdx.x == 0 && words[kBadLabel] != kNone && label < static_cast<std::uint64_t>(rows))
    values[columns] = static_cast<double>(labels[label]);
}

__global__ void begin_words(std::uint64_t* words, std::int64_t n) {
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x)
    words[i] = i == kBadRow || i == kBadLabel ? kNone : 0;
}

}  // namespace plumb::cuda
