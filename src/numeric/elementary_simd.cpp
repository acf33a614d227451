// exp, log, logistic, softmax over blocks: operation for operation the scalar code of elementary.cpp. No
// MulAdd: it is fused on some targets and not on others.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "numeric/shared/elementary_coefficients.hpp"
#include "numeric/shared/highway.hpp"
#include "plumb/numeric/elementary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/elementary_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::HWY_NAMESPACE {
namespace {

using namespace detail;

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, kRowLanes);
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
constexpr D d{};
constexpr DU du{};
constexpr std::size_t kWidth = hn::MaxLanes(D{});
constexpr std::size_t kGroups = kRowLanes / kWidth;  // vectors that make up the eight lanes
constexpr double kInfinity = std::numeric_limits<double>::infinity();

HWY_INLINE V set(double x) { return hn::Set(d, x); }

// a + b x
HWY_INLINE V line(double a, double b, V x) { return hn::Add(set(a), hn::Mul(set(b), x)); }

HWY_INLINE V power_of_two(hn::Vec<DU> biased_exponent) {
  return hn::BitCast(d, hn::ShiftLeft<52>(biased_exponent));
}

struct Exp {
  HWY_INLINE V operator()(V x) const {
    // 0 is put in at the end: no slow arithmetic in the subnormals
    const auto below = hn::Lt(x, set(kExpLow));
    V y = hn::IfThenZeroElse(below, x);
    y = hn::IfThenElse(hn::Gt(y, set(kExpHigh)), set(kExpHigh), y);
    const V shifted = hn::Add(hn::Mul(y, set(kLog2E)), set(kRoundingShift));
    const V k = hn::Sub(shifted, set(kRoundingShift));
    const V high = hn::Sub(y, hn::Mul(k, set(kLn2High)));
    const V low = hn::Mul(k, set(kLn2Low));
    const V r = hn::Sub(high, low);
    const V r2 = hn::Mul(r, r);
    const V r4 = hn::Mul(r2, r2);
    const V a = hn::Add(line(kExpC[0], kExpC[1], r), hn::Mul(line(kExpC[2], kExpC[3], r), r2));
    const V b = hn::Add(line(kExpC[4], kExpC[5], r), hn::Mul(line(kExpC[6], kExpC[7], r), r2));
    const V c = hn::Add(line(kExpC[8], kExpC[9], r), hn::Mul(set(kExpC[10]), r2));
    const V p = hn::Add(a, hn::Mul(hn::Add(b, hn::Mul(c, r4)), r4));
    const V e = hn::Add(set(1.0), hn::Add(high, hn::Sub(hn::Mul(r2, p), low)));
    const auto n =
        hn::Add(hn::Sub(hn::BitCast(du, shifted), hn::BitCast(du, set(kRoundingShift))), hn::Set(du, 2048));
    const auto half = hn::ShiftRight<1>(n);
    const auto one = hn::Set(du, 1);
    const V scaled =
        hn::Mul(hn::Mul(e, power_of_two(hn::Sub(half, one))), power_of_two(hn::Sub(hn::Sub(n, half), one)));
    return hn::IfThenElse(hn::Eq(x, x), hn::IfThenZeroElse(below, scaled), x);
  }
};

struct Log {
  HWY_INLINE V operator()(V x) const {
    const auto tiny = hn::Lt(x, set(kSmallestNormal));
    const V normal = hn::IfThenElse(tiny, hn::Mul(x, set(kTwo54)), x);
    const auto bits = hn::Add(hn::BitCast(du, normal), hn::Set(du, kBitsOfOne - kBitsOfRootHalf));
    const V lifted = hn::BitCast(d, hn::Or(hn::ShiftRight<52>(bits), hn::Set(du, kBitsOfTwo52)));
    const V k = hn::Sub(lifted, hn::IfThenElse(tiny, set(kTwo52PlusBias + 54.0), set(kTwo52PlusBias)));
    const auto near_one = hn::Add(hn::And(bits, hn::Set(du, kMantissaBits)), hn::Set(du, kBitsOfRootHalf));
    const V f = hn::Sub(hn::BitCast(d, near_one), set(1.0));
    const V s = hn::Div(f, hn::Add(set(2.0), f));
    const V z = hn::Mul(s, s);
    const V z2 = hn::Mul(z, z);
    const V a = hn::Add(line(kLogC[0], kLogC[1], z), hn::Mul(line(kLogC[2], kLogC[3], z), z2));
    const V b = hn::Add(line(kLogC[4], kLogC[5], z), hn::Mul(set(kLogC[6]), z2));
    const V p = hn::Mul(hn::Add(a, hn::Mul(b, hn::Mul(z2, z2))), z);
    const V half_square = hn::Mul(hn::Mul(set(0.5), f), f);
    const V correction = hn::Add(hn::Mul(s, hn::Add(half_square, p)), hn::Mul(k, set(kLn2Low)));
    V y = hn::Sub(hn::Mul(k, set(kLn2High)), hn::Sub(hn::Sub(half_square, correction), f));
    y = hn::IfThenElse(hn::Lt(x, set(kInfinity)), y, x);  // infinity and NaN are returned as they are
    y = hn::IfThenElse(hn::Eq(x, set(0.0)), set(-kInfinity), y);
    return hn::IfThenElse(hn::Lt(x, set(0.0)), set(std::numeric_limits<double>::quiet_NaN()), y);
  }
};

struct Logistic {
  HWY_INLINE V operator()(V x) const {
    const auto negative = hn::Lt(x, set(0.0));
    const V e = Exp{}(hn::IfThenElse(negative, x, hn::Neg(x)));
    return hn::Div(hn::IfThenElse(negative, e, set(1.0)), hn::Add(set(1.0), e));
  }
};

template <class F>
void map_block(const double* x, double* out, std::size_t n, F f) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) hn::StoreU(f(hn::LoadU(d, x + i)), d, out + i);
  if (i == n) return;
  HWY_ALIGN double tail[kWidth] = {};
  std::copy(x + i, x + n, tail);
  hn::Store(f(hn::Load(d, tail)), d, tail);
  std::copy(tail, tail + (n - i), out + i);
}

// The row is processed eight values at a time. A shorter last step is padded with -infinity, whose
// exponential is 0; vectors of padding alone are skipped.
constexpr std::size_t vectors_in(std::size_t count) { return (count + kWidth - 1) / kWidth; }

HWY_INLINE V load_part(const double* x, std::size_t count) {
  if constexpr (kWidth == 1) {
    return hn::LoadU(d, x);
  } else if constexpr (kWidth == 2) {
    return hn::IfThenElse(hn::FirstN(d, count), hn::Set(d, x[0]), set(-kInfinity));
  } else {
    const auto given = hn::FirstN(d, count);
    return hn::IfThenElse(given, hn::MaskedLoad(given, d, x), set(-kInfinity));
  }
}

HWY_INLINE void load_eight(const double* x, std::size_t count, V* v) {
  for (std::size_t g = 0; g < kGroups; ++g) {
    const std::size_t at = g * kWidth;
    if (at + kWidth <= count) {
      v[g] = hn::LoadU(d, x + at);
    } else {
      v[g] = at < count ? load_part(x + at, count - at) : set(-kInfinity);
    }
  }
}

HWY_INLINE void store_eight(const V* v, double* out, std::size_t count) {
  for (std::size_t g = 0; g < vectors_in(count); ++g) {
    const std::size_t at = g * kWidth;
    if (at + kWidth <= count) {
      hn::StoreU(v[g], d, out + at);
    } else {
      HWY_ALIGN double part[kWidth];
      hn::Store(v[g], d, part);
      for (std::size_t i = 0; at + i < count; ++i) out[at + i] = part[i];
    }
  }
}

HWY_INLINE void fold_max(const V* v, V* top) {
  for (std::size_t g = 0; g < kGroups; ++g) top[g] = hn::IfThenElse(hn::Gt(v[g], top[g]), v[g], top[g]);
}

// v becomes exp(v - shift) and joins the sum.
HWY_INLINE void exp_eight(V* v, std::size_t count, V shift, V* sum) {
  for (std::size_t g = 0; g < vectors_in(count); ++g) {
    v[g] = Exp{}(hn::Sub(v[g], shift));
    sum[g] = hn::Add(sum[g], v[g]);
  }
}

// One fixed tree over the eight lanes.
template <class Op>
HWY_INLINE double fold_lanes(const V* v, Op op) {
  HWY_ALIGN double l[kRowLanes];
  for (std::size_t g = 0; g < kGroups; ++g) hn::Store(v[g], d, l + g * kWidth);
  return op(op(op(l[0], l[4]), op(l[2], l[6])), op(op(l[1], l[5]), op(l[3], l[7])));
}
HWY_INLINE double lane_sum(const V* v) {
  return fold_lanes(v, [](double a, double b) { return a + b; });
}
HWY_INLINE double lane_max(const V* v) {
  return fold_lanes(v, [](double a, double b) { return a > b ? a : b; });
}

// A NaN is skipped here and comes back through its exponential.
HWY_INLINE double row_max(const double* x, std::size_t n) {
  V top[kGroups];
  V v[kGroups];
  for (V& t : top) t = set(-kInfinity);
  for (std::size_t i = 0; i < n; i += kRowLanes) {
    load_eight(x + i, std::min<std::size_t>(kRowLanes, n - i), v);
    fold_max(v, top);
  }
  return lane_max(top);
}

// sum exp(x - m); the terms go to `out` unless it is null.
HWY_INLINE double exp_sum(const double* x, std::size_t n, double m, double* out) {
  V sum[kGroups];
  V v[kGroups];
  for (V& s : sum) s = set(0.0);
  for (std::size_t i = 0; i < n; i += kRowLanes) {
    const std::size_t count = std::min<std::size_t>(kRowLanes, n - i);
    load_eight(x + i, count, v);
    exp_eight(v, count, set(m), sum);
    if (out != nullptr) store_eight(v, out + i, count);
  }
  return lane_sum(sum);
}

void ExpBlock(const double* x, double* out, std::size_t n) { map_block(x, out, n, Exp{}); }
void LogBlock(const double* x, double* out, std::size_t n) { map_block(x, out, n, Log{}); }
void LogisticBlock(const double* x, double* out, std::size_t n) { map_block(x, out, n, Logistic{}); }

double LogSumExp(const double* x, std::size_t n) {
  const double m = row_max(x, n);
  const double sum = exp_sum(x, n, m - m == 0.0 ? m : 0.0, nullptr);
  return sum != sum ? sum : m - m == 0.0 ? m + log_portable(sum) : m;
}

void SoftmaxRow(double* x, std::size_t n) {
  if (n <= kRowLanes) {  // the same operations without leaving the registers
    V v[kGroups];
    V sum[kGroups];
    for (V& s : sum) s = set(0.0);
    load_eight(x, n, v);
    exp_eight(v, n, set(lane_max(v)), sum);
    const V total = set(lane_sum(sum));
    for (std::size_t g = 0; g < vectors_in(n); ++g) v[g] = hn::Div(v[g], total);
    store_eight(v, x, n);
    return;
  }
  const V total = set(exp_sum(x, n, row_max(x, n), x));
  V v[kGroups];
  for (std::size_t i = 0; i < n; i += kRowLanes) {
    const std::size_t count = std::min<std::size_t>(kRowLanes, n - i);
    load_eight(x + i, count, v);
    for (std::size_t g = 0; g < vectors_in(count); ++g) v[g] = hn::Div(v[g], total);
    store_eight(v, x + i, count);
  }
}

}  // namespace
}  // namespace plumb::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb {

using namespace detail;

HWY_EXPORT(ExpBlock);
HWY_EXPORT(LogBlock);
HWY_EXPORT(LogisticBlock);
HWY_EXPORT(LogSumExp);
HWY_EXPORT(SoftmaxRow);

namespace {
void check_sizes(std::span<const double> x, std::span<double> out) {
  if (x.size() != out.size())
    throw std::invalid_argument("input and output of a block function differ in size");
}
}  // namespace

void exp_block(std::span<const double> x, std::span<double> out) {
  check_sizes(x, out);
  HWY_DYNAMIC_DISPATCH(ExpBlock)(x.data(), out.data(), x.size());
}
void log_block(std::span<const double> x, std::span<double> out) {
  check_sizes(x, out);
  HWY_DYNAMIC_DISPATCH(LogBlock)(x.data(), out.data(), x.size());
}
void logistic_block(std::span<const double> x, std::span<double> out) {
  check_sizes(x, out);
  HWY_DYNAMIC_DISPATCH(LogisticBlock)(x.data(), out.data(), x.size());
}
double log_sum_exp(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(LogSumExp)(x.data(), x.size()); }
void softmax_row(std::span<double> x) { HWY_DYNAMIC_DISPATCH(SoftmaxRow)(x.data(), x.size()); }

}  // namespace plumb
#endif
