#include "calibrate/kernels.hpp"

#include <limits>

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "calibrate/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, kPad);
using V = hn::Vec<D>;
constexpr D d{};
constexpr std::size_t kWidth = hn::MaxLanes(D{});
constexpr std::size_t kGroups = kPad / kWidth;  // vectors that make up the eight lanes

HWY_INLINE V load_wide(const double* x) { return hn::LoadU(d, x); }
HWY_INLINE V load_wide(const float* x) { return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>{}, x)); }

// The largest value does not depend on the order in which it is sought.
template <class T>
HWY_INLINE double row_max(const T* u, std::size_t width) {
  V top[2] = {hn::Set(d, -std::numeric_limits<double>::infinity()),
              hn::Set(d, -std::numeric_limits<double>::infinity())};
  std::size_t k = 0;
  for (; k + 2 * kWidth <= width; k += 2 * kWidth) {
    top[0] = hn::Max(top[0], load_wide(u + k));
    top[1] = hn::Max(top[1], load_wide(u + k + kWidth));
  }
  HWY_ALIGN double lane[kWidth];
  hn::Store(hn::Max(top[0], top[1]), d, lane);
  double most = lane[0];
  for (std::size_t i = 1; i < kWidth; ++i) most = lane[i] > most ? lane[i] : most;
  for (; k < width; ++k) most = static_cast<double>(u[k]) > most ? static_cast<double>(u[k]) : most;
  return most;
}

template <class T>
HWY_INLINE void shift(const T* u, std::size_t rows, std::size_t width, double beta, double* out, double* x) {
  const std::size_t stride = padded(width);
  const V factor = hn::Set(d, beta);
  for (std::size_t i = 0; i < rows; ++i, u += width, out += stride, x += stride) {
    const double most = row_max(u, width);
    const V top = hn::Set(d, most);
    std::size_t k = 0;
    for (; k + kWidth <= width; k += kWidth) {
      const V v = hn::Sub(load_wide(u + k), top);
      hn::StoreU(v, d, out + k);
      hn::StoreU(hn::Mul(factor, v), d, x + k);
    }
    for (; k < stride; ++k) {
      out[k] = k < width ? static_cast<double>(u[k]) - most : kPadding;
      x[k] = beta * out[k];
    }
  }
}

void ShiftFloats(const float* u, std::size_t rows, std::size_t width, double beta, double* out, double* x) {
  shift(u, rows, width, beta, out, x);
}
void ShiftDoubles(const double* u, std::size_t rows, std::size_t width, double beta, double* out, double* x) {
  shift(u, rows, width, beta, out, x);
}

// One fixed tree over the eight lanes.
HWY_INLINE double fold(const V* v) {
  HWY_ALIGN double l[kPad];
  for (std::size_t g = 0; g < kGroups; ++g) hn::Store(v[g], d, l + g * kWidth);
  return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

void RowMoments(const double* e, const double* x, std::size_t rows, std::size_t stride, double* s) {
  for (std::size_t i = 0; i < rows; ++i, e += stride, x += stride, s += 3) {
    V s0[kGroups], s1[kGroups], s2[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) s0[g] = s1[g] = s2[g] = hn::Zero(d);
    for (std::size_t k = 0; k < stride; k += kPad) {
      for (std::size_t g = 0; g < kGroups; ++g) {
        const V ev = hn::LoadU(d, e + k + g * kWidth);
        const V xv = hn::LoadU(d, x + k + g * kWidth);
        const V ex = hn::Mul(ev, xv);
        s0[g] = hn::Add(s0[g], ev);
        s1[g] = hn::Add(s1[g], ex);
        s2[g] = hn::Add(s2[g], hn::Mul(ex, xv));
      }
    }
    s[0] = fold(s0);
    s[1] = fold(s1);
    s[2] = fold(s2);
  }
}

// kRows x kColumns vectors of c stay in registers while the terms come in.
template <std::size_t kRows, std::size_t kColumns>
HWY_INLINE void tile(const double* a, std::size_t row_step, std::size_t column_step, std::size_t n,
                     const double* b, std::size_t stride, double* c) {
  V sum[kRows][kColumns];
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t g = 0; g < kColumns; ++g) sum[i][g] = hn::LoadU(d, c + i * stride + g * kWidth);
  for (std::size_t k = 0; k < n; ++k, a += column_step, b += stride) {
    V bv[kColumns];
    for (std::size_t g = 0; g < kColumns; ++g) bv[g] = hn::LoadU(d, b + g * kWidth);
    for (std::size_t i = 0; i < kRows; ++i) {
      const V av = hn::Set(d, a[i * row_step]);
      for (std::size_t g = 0; g < kColumns; ++g) sum[i][g] = hn::Add(sum[i][g], hn::Mul(av, bv[g]));
    }
  }
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t g = 0; g < kColumns; ++g) hn::StoreU(sum[i][g], d, c + i * stride + g * kWidth);
}

void AddProduct(const double* a, std::size_t row_step, std::size_t column_step, std::size_t m, std::size_t n,
                const double* b, std::size_t stride, double* c) {
  constexpr std::size_t kColumns = kGroups < 2 ? kGroups : 2;
  constexpr std::size_t kTile = 4;
  for (std::size_t j = 0; j < stride; j += kColumns * kWidth) {
    std::size_t i = 0;
    for (; i + kTile <= m; i += kTile)
      tile<kTile, kColumns>(a + i * row_step, row_step, column_step, n, b + j, stride, c + i * stride + j);
    for (; i < m; ++i)
      tile<1, kColumns>(a + i * row_step, row_step, column_step, n, b + j, stride, c + i * stride + j);
  }
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(ShiftFloats);
HWY_EXPORT(ShiftDoubles);
HWY_EXPORT(RowMoments);
HWY_EXPORT(AddProduct);

void shift_rows(const float* u, std::size_t rows, std::size_t width, double beta, double* d, double* x) {
  HWY_DYNAMIC_DISPATCH(ShiftFloats)(u, rows, width, beta, d, x);
}
void shift_rows(const double* u, std::size_t rows, std::size_t width, double beta, double* d, double* x) {
  HWY_DYNAMIC_DISPATCH(ShiftDoubles)(u, rows, width, beta, d, x);
}
void row_moments(const double* e, const double* d, std::size_t rows, std::size_t stride, double* s) {
  HWY_DYNAMIC_DISPATCH(RowMoments)(e, d, rows, stride, s);
}
void add_product(const double* a, std::size_t row_step, std::size_t column_step, std::size_t m, std::size_t n,
                 const double* b, std::size_t stride, double* c) {
  HWY_DYNAMIC_DISPATCH(AddProduct)(a, row_step, column_step, m, n, b, stride, c);
}

}  // namespace plumb::detail
#endif
