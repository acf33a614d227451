#include "metrics/kernel/simplex_kernels.hpp"

#include <algorithm>
#include <limits>

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/kernel/simplex_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, 8);
using V = hn::Vec<D>;
constexpr D d{};
constexpr std::size_t kWidth = hn::MaxLanes(D{});
constexpr double kNever = -std::numeric_limits<double>::infinity();

// Two vectors at a time hide the latency of the additions. Lanes past `count` are computed and ignored.
double DirichletLogits(const double* z, std::size_t stride, const double* x, std::size_t classes,
                       const double* bias, std::size_t count, double* out) {
  const std::size_t padded = (count + 7) / 8 * 8;
  constexpr std::size_t kPair = kWidth <= 4 ? 2 : 1;
  for (std::size_t j = 0; j < padded; j += kPair * kWidth) {
    V sum[kPair];
    for (std::size_t g = 0; g < kPair; ++g) sum[g] = hn::LoadU(d, bias + j + g * kWidth);
    for (std::size_t k = 0; k < classes; ++k) {
      const V factor = hn::Set(d, x[k]);
      for (std::size_t g = 0; g < kPair; ++g)
        sum[g] = hn::Add(sum[g], hn::Mul(hn::LoadU(d, z + k * stride + j + g * kWidth), factor));
    }
    for (std::size_t g = 0; g < kPair; ++g) hn::StoreU(sum[g], d, out + j + g * kWidth);
  }
  std::fill(out + count, out + padded, kNever);
  V most = hn::Set(d, kNever);
  for (std::size_t j = 0; j < padded; j += kWidth) {
    const V v = hn::LoadU(d, out + j);
    most = hn::IfThenElse(hn::Gt(v, most), v, most);
  }
  double lane[8];
  hn::StoreU(most, d, lane);
  return *std::max_element(lane, lane + kWidth);
}

void SubtractFrom(double* x, std::size_t count, double shift) {
  std::size_t j = 0;
  for (; j + kWidth <= count; j += kWidth)
    hn::StoreU(hn::Sub(hn::LoadU(d, x + j), hn::Set(d, shift)), d, x + j);
  for (; j < count; ++j) x[j] -= shift;
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(DirichletLogits);
HWY_EXPORT(SubtractFrom);

double dirichlet_logits(const double* z, std::size_t stride, const double* x, std::size_t classes,
                        const double* bias, std::size_t count, double* out) {
  return HWY_DYNAMIC_DISPATCH(DirichletLogits)(z, stride, x, classes, bias, count, out);
}
void subtract_from(double* x, std::size_t count, double shift) {
  HWY_DYNAMIC_DISPATCH(SubtractFrom)(x, count, shift);
}

}  // namespace plumb::detail
#endif
