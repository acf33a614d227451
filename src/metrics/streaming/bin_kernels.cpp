#include "metrics/streaming/bin_kernels.hpp"

#include <algorithm>

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/streaming/bin_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, 4);
using DI = hn::Rebind<std::int32_t, D>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
constexpr D d{};
constexpr DI di{};
constexpr DU du{};
#if HWY_TARGET != HWY_SCALAR
using D2 = hn::FixedTag<std::uint64_t, 2>;
constexpr D2 d2{};
#endif
constexpr std::size_t kWidth = hn::MaxLanes(D{});

HWY_INLINE hn::Vec<DU> raw(V p) {
  return hn::BitCast(du, hn::Add(hn::Mul(p, hn::Set(d, kFixedOne)), hn::Set(d, kMagic)));
}

struct EqualWidth {
  V bins, last;
  HWY_INLINE explicit EqualWidth(const BinEdges& c)
      : bins(hn::Set(d, static_cast<double>(c.bins))), last(hn::Set(d, static_cast<double>(c.bins - 1))) {}
  HWY_INLINE hn::Vec<DI> operator()(V p) const { return hn::DemoteTo(di, hn::Min(hn::Mul(p, bins), last)); }
};

struct ByThresholds {
  const BinEdges& edges;
  HWY_INLINE explicit ByThresholds(const BinEdges& c) : edges(c) {}
  HWY_INLINE hn::Vec<DI> operator()(V p) const {
    V below = hn::Zero(d);
    const V one = hn::Set(d, 1.0);
    for (const double t : edges.thresholds)
      below = hn::Add(below, hn::IfThenElseZero(hn::Ge(p, hn::Set(d, t)), one));
    return hn::DemoteTo(di, below);
  }
};

template <class BinOf>
HWY_INLINE void place(const BinOf& bin_of, const double* p, std::size_t n, std::int32_t* index,
                      std::uint64_t* fixed) {
  const auto magic = hn::Set(du, kMagicBits);
  const auto step = [&](const double* from, std::int32_t* to_index, std::uint64_t* to_fixed) HWY_ATTR {
    const V v = hn::LoadU(d, from);
    hn::StoreU(bin_of(v), di, to_index);
    hn::StoreU(hn::Sub(raw(v), magic), du, to_fixed);
  };
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) step(p + i, index + i, fixed + i);
  if (i == n) return;
  double rest[kWidth] = {};
  std::int32_t rest_index[kWidth];
  std::uint64_t rest_fixed[kWidth];
  std::copy(p + i, p + n, rest);
  step(rest, rest_index, rest_fixed);
  std::copy(rest_index, rest_index + (n - i), index + i);
  std::copy(rest_fixed, rest_fixed + (n - i), fixed + i);
}

void Place(const BinEdges& edges, const double* p, std::size_t n, std::int32_t* index, std::uint64_t* fixed) {
  if (edges.equal_width) {
    place(EqualWidth(edges), p, n, index, fixed);
  } else {
    place(ByThresholds(edges), p, n, index, fixed);
  }
}

/// Adds the pairs {p, counts} of a vector to the tables, each at its offset.
/// A pair is loaded, added to and stored as one.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void scatter(hn::Vec<DU> p, hn::Vec<DU> counts, const std::uint32_t* offset,
                        std::uint64_t* table) {
  table[*offset] += hn::GetLane(p);
  table[*offset + 1] += hn::GetLane(counts);
}
#else
HWY_INLINE void add_pair(hn::Vec<D2> pair, std::uint64_t* to) {
  hn::Store(hn::Add(hn::Load(d2, to), pair), d2, to);
}

template <class Words>
HWY_INLINE void scatter(Words p, Words counts, const std::uint32_t* offset, std::uint64_t* table) {
  const auto even = hn::InterleaveLower(du, p, counts);
  const auto odd = hn::InterleaveUpper(du, p, counts);
  if constexpr (sizeof(Words) == 16) {
    add_pair(even, table + offset[0]);
    add_pair(odd, table + offset[1]);
  } else {
    add_pair(hn::LowerHalf(even), table + offset[0]);
    add_pair(hn::LowerHalf(odd), table + offset[1]);
    add_pair(hn::UpperHalf(d2, even), table + offset[2]);
    add_pair(hn::UpperHalf(d2, odd), table + offset[3]);
  }
}
#endif

// The counts of a pair: 1 forecast, 0 or 1 hits.
HWY_INLINE hn::Vec<DU> load_counts(const double* hits) {
  return hn::BitCast(du, hn::Add(hn::LoadU(d, hits), hn::Set(d, kCountOne)));
}
std::uint64_t counts_of(double hits) { return std::bit_cast<std::uint64_t>(hits + kCountOne); }

/// `start_of(i)` tells where the tables of forecasts i, i + 1, ... begin, counted in words, two for a pair.
template <class BinOf, class StartOf, class CountsOf>
HWY_INLINE std::size_t add_pairs(const BinOf& bin_of, const StartOf& start_of, const CountsOf& counts_at,
                                 const double* p, std::size_t n, Pair* table) {
  HWY_ALIGN std::int32_t offset[kPrivateTables];
  const auto* at = reinterpret_cast<const std::uint32_t*>(offset);
  std::size_t i = 0;
  for (; i + kPrivateTables <= n; i += kPrivateTables) {
    for (std::size_t j = 0; j < kPrivateTables; j += kWidth) {
      const V v = hn::LoadU(d, p + i + j);
      hn::Store(hn::Add(hn::ShiftLeft<1>(bin_of(v)), start_of(i + j)), di, offset + j);
      scatter(raw(v), counts_at(i + j), at + j, &table->sum);
    }
  }
  return i;
}

template <class StartOf, class CountsOf>
HWY_INLINE std::size_t add_pairs(const BinEdges& edges, const StartOf& start_of, const CountsOf& counts_at,
                                 const double* p, std::size_t n, Pair* table) {
  return edges.equal_width ? add_pairs(EqualWidth(edges), start_of, counts_at, p, n, table)
                           : add_pairs(ByThresholds(edges), start_of, counts_at, p, n, table);
}

void add_one(Pair& pair, double p, std::uint64_t counts) {
  pair.sum += raw_fixed(p);
  pair.counts += counts;
}

void AddHits(const BinEdges& edges, const double* p, const double* hits, std::size_t n, Pair* table) {
  const std::size_t count = edges.count();
  HWY_ALIGN std::int32_t start[kPrivateTables];
  for (std::size_t j = 0; j < kPrivateTables; ++j) start[j] = 2 * j * count;
  const auto start_of = [&](std::size_t i) HWY_ATTR { return hn::Load(di, start + i % kPrivateTables); };
  const auto counts_at = [&](std::size_t i) HWY_ATTR { return load_counts(hits + i); };
  for (std::size_t i = add_pairs(edges, start_of, counts_at, p, n, table); i < n; ++i)
    add_one(table[(i % kPrivateTables) * count + edges.bin_of(p[i])], p[i], counts_of(hits[i]));
}

void AddDrawn(const BinEdges& edges, const double* p, const double* hits, const std::uint32_t* times,
              std::size_t n, Pair* table) {
  const std::size_t count = edges.count();
  const auto words = hn::Set(di, static_cast<std::int32_t>(2 * count));
  static_assert((kMostDrawn & (kMostDrawn + 1)) == 0);
  const auto beyond = hn::Set(di, ~static_cast<std::int32_t>(kMostDrawn));
  const auto start_of = [&](std::size_t i) HWY_ATTR {
    const auto m = hn::LoadU(di, reinterpret_cast<const std::int32_t*>(times + i));
    const auto few = hn::Eq(hn::And(m, beyond), hn::Zero(di));
    return hn::Mul(hn::IfThenElseZero(few, m), words);
  };
  const auto counts_at = [&](std::size_t i) HWY_ATTR { return load_counts(hits + i); };
  for (std::size_t i = add_pairs(edges, start_of, counts_at, p, n, table); i < n; ++i) {
    const std::size_t m = times[i] <= kMostDrawn ? times[i] : 0;
    add_one(table[m * count + edges.bin_of(p[i])], p[i], counts_of(hits[i]));
  }
}

void AddRows(const BinEdges& edges, const double* z, std::size_t n, const std::int32_t* start, Pair* table) {
  const auto start_of = [&](std::size_t i) HWY_ATTR { return hn::LoadU(di, start + i); };
  const auto counts_at = [&](std::size_t) HWY_ATTR { return hn::Set(du, kOneForecast); };
  for (std::size_t i = add_pairs(EqualWidth(edges), start_of, counts_at, z, n, table); i < n; ++i)
    add_one(table[start[i] / 2 + edges.bin_of(z[i])], z[i], kOneForecast);
}

HWY_INLINE std::size_t note_found(hn::Mask<D> mask, std::size_t j, std::uint32_t* found, std::size_t count) {
  if (HWY_LIKELY(hn::AllFalse(d, mask))) return count;
  std::uint8_t bytes[8] = {};  // StoreMaskBits may write as many
  hn::StoreMaskBits(d, mask, bytes);
  for (unsigned bits = bytes[0]; bits != 0; bits &= bits - 1) found[count++] = j + std::countr_zero(bits);
  return count;
}

std::size_t AddDense(const double* z, std::size_t n, const double* beyond, std::uint64_t* dense,
                     std::uint32_t* found) {
  std::size_t count = 0, j = 0;
  for (; j + kWidth <= n; j += kWidth) {
    const V v = hn::LoadU(d, z + j);
    hn::StoreU(hn::Add(hn::LoadU(du, dense + j), raw(v)), du, dense + j);
    count = note_found(hn::Ge(v, hn::LoadU(d, beyond + j)), j, found, count);
  }
  for (; j < n; ++j) {
    dense[j] += raw_fixed(z[j]);
    if (z[j] >= beyond[j]) found[count++] = j;
  }
  return count;
}

/// The product of numbers below 2^32.
HWY_INLINE hn::Vec<DU> times_mass(hn::Vec<DU> x, hn::Vec<DU> mass) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(du, hn::GetLane(x) * hn::GetLane(mass));
#else
  const hn::Repartition<std::uint32_t, DU> d32;
  return hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, mass));
#endif
}

std::size_t AddDenseWhole(const double* z, std::size_t n, std::uint32_t mass, const double* beyond,
                          std::uint64_t* high, std::uint64_t* low, std::uint32_t* found) {
  constexpr int kHalf = kFractionBits / 2;
  constexpr std::uint64_t kLowBits = (std::uint64_t{1} << kHalf) - 1;
  const auto m = hn::Set(du, std::uint64_t{mass});
  const auto magic = hn::Set(du, kMagicBits);
  const auto low_bits = hn::Set(du, kLowBits);
  std::size_t count = 0, j = 0;
  for (; j + kWidth <= n; j += kWidth) {
    const V v = hn::LoadU(d, z + j);
    const auto q = hn::Sub(raw(v), magic);
    const auto q_high = times_mass(hn::ShiftRight<kHalf>(q), m);
    const auto q_low = times_mass(hn::And(q, low_bits), m);
    hn::StoreU(hn::Add(hn::LoadU(du, high + j), q_high), du, high + j);
    hn::StoreU(hn::Add(hn::LoadU(du, low + j), q_low), du, low + j);
    count = note_found(hn::Ge(v, hn::LoadU(d, beyond + j)), j, found, count);
  }
  for (; j < n; ++j) {
    const std::uint64_t q = raw_fixed(z[j]) - kMagicBits;
    high[j] += mass * (q >> kHalf);
    low[j] += mass * (q & kLowBits);
    if (z[j] >= beyond[j]) found[count++] = j;
  }
  return count;
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(Place);
HWY_EXPORT(AddHits);
HWY_EXPORT(AddDrawn);
HWY_EXPORT(AddRows);
HWY_EXPORT(AddDense);
HWY_EXPORT(AddDenseWhole);

void place_forecasts(const BinEdges& edges, const double* p, std::size_t n, std::int32_t* index,
                     std::uint64_t* fixed) {
  if (edges.equal_width || edges.thresholds.size() < kManyThresholds) {
    HWY_DYNAMIC_DISPATCH(Place)(edges, p, n, index, fixed);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    index[i] = edges.bin_of(p[i]);
    fixed[i] = to_fixed(p[i]);
  }
}
void add_binary(const BinEdges& edges, const double* p, const double* hits, std::size_t n, Pair* table) {
  HWY_DYNAMIC_DISPATCH(AddHits)(edges, p, hits, n, table);
}
void add_drawn(const BinEdges& edges, const double* p, const double* hits, const std::uint32_t* times,
               std::size_t n, Pair* table) {
  HWY_DYNAMIC_DISPATCH(AddDrawn)(edges, p, hits, times, n, table);
}
void add_rows(const BinEdges& edges, const double* z, std::size_t n, const std::int32_t* start, Pair* table) {
  HWY_DYNAMIC_DISPATCH(AddRows)(edges, z, n, start, table);
}
std::size_t add_dense(const double* z, std::size_t n, const double* beyond, std::uint64_t* dense,
                      std::uint32_t* found) {
  return HWY_DYNAMIC_DISPATCH(AddDense)(z, n, beyond, dense, found);
}
std::size_t add_dense_whole(const double* z, std::size_t n, std::uint32_t mass, const double* beyond,
                            std::uint64_t* high, std::uint64_t* low, std::uint32_t* found) {
  return HWY_DYNAMIC_DISPATCH(AddDenseWhole)(z, n, mass, beyond, high, low, found);
}

}  // namespace plumb::detail
#endif
