#include "metrics/raters/share_kernels.hpp"

#include <algorithm>
#include <bit>

#include "numeric/shared/highway.hpp"
#include "plumb/numeric/fixed_point.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/raters/share_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, kShareLanes);
constexpr D d{};
constexpr hn::Rebind<std::int32_t, D> di{};
constexpr hn::RebindToSigned<D> dl{};
constexpr std::size_t kWidth = hn::MaxLanes(D{});

/// to_fixed of each lane.
HWY_INLINE hn::Vec<decltype(dl)> fixed_of(hn::Vec<D> x) {
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52
  const auto shifted = hn::Add(hn::Mul(x, hn::Set(d, kFixedOne)), hn::Set(d, kMagic));
  return hn::Sub(hn::BitCast(dl, shifted), hn::Set(dl, std::bit_cast<std::int64_t>(kMagic)));
}

void Place(const double* p, std::size_t n, int bins, const std::uint32_t* first, std::size_t period,
           std::uint32_t* bin, FixedForecast* fixed) {
  const auto scale = hn::Set(d, static_cast<double>(bins));
  const auto last = hn::Set(d, static_cast<double>(bins - 1));
  const auto vectorised = n - n % kWidth;
  std::size_t at = 0;  // in the period, of which kWidth is a divisor
  for (std::size_t j = 0; j < vectorised; j += kWidth) {
    const auto v = hn::LoadU(d, p + j);
    const auto base = hn::LoadU(di, reinterpret_cast<const std::int32_t*>(first) + at);
    hn::StoreU(hn::Add(base, hn::DemoteTo(di, hn::Min(hn::Mul(v, scale), last))), di,
               reinterpret_cast<std::int32_t*>(bin) + j);
    hn::StoreInterleaved2(fixed_of(v), fixed_of(hn::Mul(v, v)), dl, &fixed[j].p);
    at += kWidth;
    if (at == period) at = 0;
  }
  for (std::size_t j = vectorised; j < n; ++j) {
    bin[j] = first[j % period] + std::min(static_cast<int>(p[j] * bins), bins - 1);
    fixed[j] = {to_fixed(p[j]), to_fixed(p[j] * p[j])};
  }
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(Place);

void place_shares(const double* p, std::size_t n, int bins, const std::uint32_t* first, std::size_t period,
                  std::uint32_t* bin, FixedForecast* fixed) {
  HWY_DYNAMIC_DISPATCH(Place)(p, n, bins, first, period, bin, fixed);
}

}  // namespace plumb::detail
#endif
