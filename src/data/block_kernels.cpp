#include "data/shared/block_kernels.hpp"

#include <limits>
#include <type_traits>

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/block_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = 8;
using D = HWY_CAPPED(double, kLanes);
using V = hn::Vec<D>;
constexpr D d{};
constexpr std::size_t kWidth = hn::MaxLanes(D{});
constexpr std::size_t kGroups = kLanes / kWidth;  // vectors that make up the eight lanes

HWY_INLINE V load_wide(const double* x) { return hn::LoadU(d, x); }
HWY_INLINE V load_wide(const float* x) { return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>{}, x)); }

template <class T>
HWY_INLINE bool copy_block(const T* from, std::int64_t n, double high, double* out) {
  const auto count = static_cast<std::size_t>(n);
  const V low = hn::Zero(d);
  const V top = hn::Set(d, high);
  // Two chains of masks; both comparisons are false for NaN.
  auto good = hn::Eq(low, low);
  auto good2 = good;
  const auto inside = [&](V v) HWY_ATTR { return hn::And(hn::Ge(v, low), hn::Le(v, top)); };
  std::size_t i = 0;
  for (; i + 2 * kWidth <= count; i += 2 * kWidth) {
    const V a = load_wide(from + i);
    const V b = load_wide(from + i + kWidth);
    good = hn::And(good, inside(a));
    good2 = hn::And(good2, inside(b));
    hn::StoreU(a, d, out + i);
    hn::StoreU(b, d, out + i + kWidth);
  }
  bool all = hn::AllTrue(d, hn::And(good, good2));
  for (; i < count; ++i) {
    const auto x = static_cast<double>(from[i]);
    all = all && x >= 0.0 && x <= high;
    out[i] = x;
  }
  return all;
}

bool CopyFloats(const float* from, std::int64_t n, double high, double* out) {
  return copy_block(from, n, high, out);
}
bool CopyDoubles(const double* from, std::int64_t n, double high, double* out) {
  return copy_block(from, n, high, out);
}

void CopyValues(const double* from, std::int64_t n, double* out) {
  // The compiler would replace this with memcpy, which it is meant to avoid: an empty statement that may
  // change memory keeps the loop.
  std::int64_t i = 0;
  for (; i + static_cast<std::int64_t>(kWidth) <= n; i += static_cast<std::int64_t>(kWidth)) {
    hn::StoreU(hn::LoadU(d, from + i), d, out + i);
    asm volatile("" ::: "memory");
  }
  for (; i < n; ++i) out[i] = from[i];
}

/// The values of one row, zeros behind them. A vector may reach into the next row, whose values are then
/// blanked; only at the end of the block, where nothing may be touched, are they fetched one by one.
HWY_INLINE V load_first(const double* x, std::size_t count, const double* end) {
  if (count >= kWidth) return hn::LoadU(d, x);
  if (x + kWidth <= end) return hn::IfThenElseZero(hn::FirstN(d, count), hn::LoadU(d, x));
  HWY_ALIGN double part[kWidth] = {};
  for (std::size_t i = 0; i < count; ++i) part[i] = x[i];
  return hn::Load(d, part);
}

/// Visits a row eight values at a time: body(vector, group, index of its first value). `end` is
/// that of the block.
template <class Body>
HWY_INLINE void for_each_vector(const double* x, std::size_t n, const double* end, Body body) {
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::size_t g = 0; g < kGroups; ++g) body(hn::LoadU(d, x + j + g * kWidth), g, j + g * kWidth);
  }
  for (std::size_t g = 0; g < kGroups; ++g) {
    const std::size_t at = j + g * kWidth;
    if (at < n) body(load_first(x + at, n - at, end), g, at);
  }
}

/// Lane j takes lane j + 4, then j + 2, then j + 1.
HWY_INLINE double fold(V (&lane)[kGroups]) {
  for (std::size_t h = kGroups / 2; h > 0; h /= 2) {
    for (std::size_t g = 0; g < h; ++g) lane[g] = hn::Add(lane[g], lane[g + h]);
  }
  HWY_ALIGN double l[kWidth];
  hn::Store(lane[0], d, l);
  for (std::size_t h = kWidth / 2; h > 0; h /= 2) {
    for (std::size_t i = 0; i < h; ++i) l[i] += l[i + h];
  }
  return l[0];
}

void RowSums(const double* z, std::int64_t rows, std::int64_t width, double* sum) {
  const auto n = static_cast<std::size_t>(width);
  const double* const end = z + rows * width;
  for (std::int64_t i = 0; i < rows; ++i, z += width) {
    V lane[kGroups];
    for (V& l : lane) l = hn::Zero(d);
    for_each_vector(z, n, end,
                    [&](V v, std::size_t g, std::size_t) HWY_ATTR { lane[g] = hn::Add(lane[g], v); });
    sum[i] = fold(lane);
  }
}

void RowTops(const double* z, std::int64_t rows, std::int64_t width, double* top, std::uint32_t* index) {
  const auto n = static_cast<std::size_t>(width);
  const double* const end = z + rows * width;
  const V iota = hn::Iota(d, 0.0);
  const V nowhere = hn::Set(d, std::numeric_limits<double>::infinity());
  for (std::int64_t i = 0; i < rows; ++i, z += width) {
    V best[kGroups];
    V place[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) {
      best[g] = hn::Set(d, -1.0);
      place[g] = nowhere;
    }
    // Strictly greater keeps the lowest index of a lane. The zeros behind a row come last and cannot
    // beat its values.
    for_each_vector(z, n, end, [&](V v, std::size_t g, std::size_t at) HWY_ATTR {
      const auto more = hn::Gt(v, best[g]);
      best[g] = hn::IfThenElse(more, v, best[g]);
      place[g] = hn::IfThenElse(more, hn::Add(iota, hn::Set(d, static_cast<double>(at))), place[g]);
    });
    V largest = best[0];
    for (std::size_t g = 1; g < kGroups; ++g) largest = hn::Max(largest, best[g]);
    largest = hn::MaxOfLanes(d, largest);
    V lowest = nowhere;
    for (std::size_t g = 0; g < kGroups; ++g)
      lowest = hn::Min(lowest, hn::IfThenElse(hn::Eq(best[g], largest), place[g], nowhere));
    top[i] = hn::GetLane(largest);
    index[i] = static_cast<std::uint32_t>(hn::GetLane(hn::MinOfLanes(d, lowest)));
  }
}

// Plain loops, which the compiler turns into the vectors of each target.
template <class T>
HWY_INLINE bool label_block(const T* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  std::uint32_t bad = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      const bool inside = from[i] >= 0 && from[i] < static_cast<T>(classes);
      const auto k = static_cast<std::int32_t>(inside ? from[i] : T{0});
      bad |= static_cast<std::uint32_t>(!inside || static_cast<T>(k) != from[i]);
      out[i] = static_cast<std::uint32_t>(k);
    } else {
      bad |= static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<T>>(from[i]) >= classes);
      out[i] = static_cast<std::uint32_t>(from[i]);
    }
  }
  return bad == 0;
}

bool LabelsU8(const std::uint8_t* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return label_block(from, n, classes, out);
}
bool LabelsI32(const std::int32_t* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return label_block(from, n, classes, out);
}
bool LabelsI64(const std::int64_t* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return label_block(from, n, classes, out);
}
bool LabelsF64(const double* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return label_block(from, n, classes, out);
}

bool Ratings(const double* from, std::int64_t n, int classes, std::int32_t* out) {
  const auto high = static_cast<double>(classes);
  std::uint32_t bad = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double y = from[i] >= 0 ? from[i] : -1.0;  // NaN too
    const double x = y < high ? y : -2.0;
    const auto k = static_cast<std::int32_t>(x);
    bad |= static_cast<std::uint32_t>(static_cast<double>(k) != y);
    out[i] = k;
  }
  return bad == 0;
}

void CountMatches(const std::uint32_t* cls, const std::uint32_t* label, std::int64_t n, double* hits) {
  for (std::int64_t i = 0; i < n; ++i) hits[i] = static_cast<std::int32_t>(cls[i] == label[i]);
}
void CountClass(const std::uint32_t* cls, std::uint32_t k, std::int64_t n, double* hits) {
  for (std::int64_t i = 0; i < n; ++i) hits[i] = static_cast<std::int32_t>(cls[i] == k);
}

bool AllFinite(const double* x, std::int64_t n) {
  std::uint32_t bad = 0;
  for (std::int64_t i = 0; i < n; ++i) bad |= static_cast<std::uint32_t>(!(x[i] - x[i] == 0.0));
  return bad == 0;
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(CopyFloats);
HWY_EXPORT(CopyDoubles);
HWY_EXPORT(CopyValues);
HWY_EXPORT(RowSums);
HWY_EXPORT(RowTops);
HWY_EXPORT(LabelsU8);
HWY_EXPORT(LabelsI32);
HWY_EXPORT(LabelsI64);
HWY_EXPORT(LabelsF64);
HWY_EXPORT(Ratings);
HWY_EXPORT(CountMatches);
HWY_EXPORT(CountClass);
HWY_EXPORT(AllFinite);

bool copy_checked(const float* from, std::int64_t n, double high, double* out) {
  return HWY_DYNAMIC_DISPATCH(CopyFloats)(from, n, high, out);
}
bool copy_checked(const double* from, std::int64_t n, double high, double* out) {
  return HWY_DYNAMIC_DISPATCH(CopyDoubles)(from, n, high, out);
}
void copy_values(const double* from, std::int64_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(CopyValues)(from, n, out);
}
void row_sums(const double* z, std::int64_t rows, std::int64_t width, double* sum) {
  HWY_DYNAMIC_DISPATCH(RowSums)(z, rows, width, sum);
}
void row_tops(const double* z, std::int64_t rows, std::int64_t width, double* top, std::uint32_t* index) {
  HWY_DYNAMIC_DISPATCH(RowTops)(z, rows, width, top, index);
}
bool copy_labels(const std::uint8_t* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(LabelsU8)(from, n, classes, out);
}
bool copy_labels(const std::int32_t* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(LabelsI32)(from, n, classes, out);
}
bool copy_labels(const std::int64_t* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(LabelsI64)(from, n, classes, out);
}
bool copy_labels(const double* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(LabelsF64)(from, n, classes, out);
}
bool copy_ratings(const double* from, std::int64_t n, int classes, std::int32_t* out) {
  return HWY_DYNAMIC_DISPATCH(Ratings)(from, n, classes, out);
}
void count_matches(const std::uint32_t* cls, const std::uint32_t* label, std::int64_t n, double* hits) {
  HWY_DYNAMIC_DISPATCH(CountMatches)(cls, label, n, hits);
}
void count_class(const std::uint32_t* cls, std::uint32_t k, std::int64_t n, double* hits) {
  HWY_DYNAMIC_DISPATCH(CountClass)(cls, k, n, hits);
}
bool all_finite(const double* x, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(AllFinite)(x, n); }

}  // namespace plumb::detail
#endif
