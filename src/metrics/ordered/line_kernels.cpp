#include "metrics/ordered/line_kernels.hpp"

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ordered/line_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, 4);
using V = hn::Vec<D>;
constexpr D d{};
constexpr std::size_t kWidth = hn::MaxLanes(D{});
constexpr std::size_t kLanes = 4, kGroups = kLanes / kWidth;  // vectors that make up four lanes

template <std::size_t K>
HWY_INLINE void Sums(const double* x, const double* y, const double* mass, const double* hits,
                     std::size_t count, LineSums& out) {
  V sum[K][kGroups];
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t g = 0; g < kGroups; ++g) sum[k][g] = hn::Zero(d);
  const auto one = hn::Set(d, 1.0);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t g = 0; g < kGroups; ++g) {
      const std::size_t at = i + g * kWidth;
      const auto v = hn::LoadU(d, y + at), m = hn::LoadU(d, mass + at);
      const auto my = hn::Mul(m, v);
      const auto r = hn::Sub(hn::LoadU(d, hits + at), my), c = hn::Mul(my, hn::Sub(one, v));
      sum[0][g] = hn::Add(sum[0][g], r);
      sum[1][g] = hn::Add(sum[1][g], c);
      if constexpr (K > 2) {
        const auto u = hn::LoadU(d, x + at), cu = hn::Mul(c, u);
        sum[2][g] = hn::Add(sum[2][g], hn::Mul(r, u));
        sum[3][g] = hn::Add(sum[3][g], cu);
        sum[4][g] = hn::Add(sum[4][g], hn::Mul(cu, u));
      }
    }
  }
  double lane[K][kLanes];
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t g = 0; g < kGroups; ++g) hn::StoreU(sum[k][g], d, lane[k] + g * kWidth);
  for (; i < count; ++i) {
    const double my = mass[i] * y[i], r = hits[i] - my, c = my * (1.0 - y[i]);
    lane[0][0] += r;
    lane[1][0] += c;
    if constexpr (K > 2) {
      lane[2][0] += r * x[i];
      lane[3][0] += c * x[i];
      lane[4][0] += c * x[i] * x[i];
    }
  }
  for (std::size_t k = 0; k < K; ++k) out[k] = (lane[k][0] + lane[k][1]) + (lane[k][2] + lane[k][3]);
}

void AddLine(const double* x, const double* y, const double* mass, const double* hits, std::size_t count,
             bool with_slope, LineSums& out) {
  with_slope ? Sums<5>(x, y, mass, hits, count, out) : Sums<2>(x, y, mass, hits, count, out);
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {
HWY_EXPORT(AddLine);

LineSums line_sums(const double* x, const double* y, const double* mass, const double* hits,
                   std::size_t count, bool with_slope) {
  LineSums out{};
  HWY_DYNAMIC_DISPATCH(AddLine)(x, y, mass, hits, count, with_slope, out);
  return out;
}

}  // namespace plumb::detail
#endif
