// Terms are cut into three layers, each on a grid so coarse that a few hundred of them add up without
// rounding (Rump, Ogita and Oishi 2008, SIAM J. Sci. Comput. 31:189-224, section 3). Where the three layers
// leave nothing of any term, their sums are the exact sum; otherwise the terms are added one by one.
#include "plumb/numeric/exact_block.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/exact_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PLUMB_EXACT_BLOCK_LAYERS
#define PLUMB_EXACT_BLOCK_LAYERS
namespace plumb::detail {

inline constexpr std::size_t kLayers = 3, kLayerLanes = 8;
inline constexpr int kTermBits = 9;  // log2 of the most terms at once
/// From one layer's grid to the next: sums of 2^9 terms take all 53 bits but one for the sign and one spare.
inline constexpr int kLayerBits = 53 - kTermBits - 2;
using Layers = std::array<std::array<double, kLayerLanes>, kLayers>;

}  // namespace plumb::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The largest |x|. NaN may be lost: the sum of its layer is NaN, too, which ExactSum refuses.
double LargestTerm(const double* x, std::size_t n) {
  const HWY_CAPPED(double, 8) d;
  const std::size_t lanes = hn::Lanes(d);
  auto most = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) most = hn::Max(most, hn::Abs(hn::LoadU(d, x + i)));
  HWY_ALIGN double lane[kLayerLanes] = {};
  hn::Store(most, d, lane);
  double out = 0;
  for (std::size_t l = 0; l < lanes; ++l) out = std::max(out, lane[l]);
  for (; i < n; ++i) out = std::max(out, x[i] < 0 ? -x[i] : x[i]);
  return out;
}

/// Adds the terms to the layers, whose grids are those of `shift`; false where a term has something left.
bool CutLayers(const double* x, std::size_t n, const double* shift, Layers& out) {
  const HWY_CAPPED(double, 8) d;
  const std::size_t lanes = hn::Lanes(d);
  const auto s0 = hn::Set(d, shift[0]), s1 = hn::Set(d, shift[1]), s2 = hn::Set(d, shift[2]);
  auto a0 = hn::Zero(d), a1 = hn::Zero(d), a2 = hn::Zero(d), left = hn::Zero(d);
  const auto cut = [&](auto s, auto& rest, auto& sum) HWY_ATTR {
    const auto part = hn::Sub(hn::Add(rest, s), s);
    sum = hn::Add(sum, part);
    rest = hn::Sub(rest, part);
  };
  HWY_ALIGN double tail[kLayerLanes] = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    const double* at = x + i;
    if (i + lanes > n) {
      std::copy(x + i, x + n, tail);
      at = tail;
    }
    auto rest = hn::LoadU(d, at);
    cut(s0, rest, a0);
    cut(s1, rest, a1);
    cut(s2, rest, a2);
    left = hn::Max(left, hn::Abs(rest));
  }
  hn::StoreU(a0, d, out[0].data());
  hn::StoreU(a1, d, out[1].data());
  hn::StoreU(a2, d, out[2].data());
  HWY_ALIGN double lane[kLayerLanes] = {};
  hn::Store(left, d, lane);
  return std::all_of(lane, lane + lanes, [](double r) { return r == 0; });
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb {
namespace detail {
HWY_EXPORT(LargestTerm);
HWY_EXPORT(CutLayers);
}  // namespace detail

namespace {

/// False, and nothing is added, where the layers do not hold the terms.
bool add_layers(ExactSum& sum, std::span<const double> terms) {
  using namespace detail;
  const double most = HWY_DYNAMIC_DISPATCH(LargestTerm)(terms.data(), terms.size());
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(most) >> 52 & 0x7ff) - 1022;
  // Above the range of ExactSum its own check throws; below, it cuts terms off.
  constexpr int kLowest = ExactSum::kLowestExponent + 3 * kLayerBits + 2;
  if (!(exponent < ExactSum::kHighestExponent && exponent > kLowest)) return false;
  std::array<double, kLayers> shift;
  for (std::size_t l = 0; l < kLayers; ++l) {
    const int top = exponent - static_cast<int>(l) * kLayerBits + kTermBits + 1;
    shift[l] = 1.5 * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + top) << 52);
  }
  Layers layers{};
  if (!HWY_DYNAMIC_DISPATCH(CutLayers)(terms.data(), terms.size(), shift.data(), layers)) return false;
  for (const auto& layer : layers)
    for (const double x : layer)
      if (x != 0) sum.add(x);
  return true;
}

}  // namespace

void add_block(ExactSum& sum, std::span<const double> terms) {
  while (!terms.empty()) {
    const std::span<const double> now =
        terms.first(std::min(terms.size(), std::size_t{1} << detail::kTermBits));
    terms = terms.subspan(now.size());
    if (!add_layers(sum, now))
      for (const double x : now) sum.add(x);
  }
}

}  // namespace plumb
#endif
