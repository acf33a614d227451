// Terms are cut into four integers of about 48 bits, from 2^reach down to the last bit of an ExactSum,
// and each of the four is added up by itself. What lies below that bit is cut off, term by term, as
// ExactSum does.
#include "plumb/numeric/exact_cut.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/exact_cut.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PLUMB_EXACT_CUT_SIZES
#define PLUMB_EXACT_CUT_SIZES
namespace plumb::detail {

inline constexpr std::size_t kCuts = 4, kCutLanes = 8;
inline constexpr int kCutBits = 48;
/// The last cut has up to 50 bits and a sign: so many of them stay below 2^63.
inline constexpr std::size_t kMostCutTerms = 4096;

}  // namespace plumb::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// out[c]: the sum of the c-th integers. `first` is 2^(48 - reach), `last` 2^(48 + reach).
void CutTerms(const double* x, std::size_t n, double first, double last, std::uint64_t* out) {
  const HWY_CAPPED(double, 8) d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const std::size_t lanes = hn::Lanes(d);
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: added, it rounds at the units
  const auto magic = hn::Set(d, kMagic);
  const auto up = hn::Set(d, first), down = hn::Set(d, last);
  const auto step = hn::Set(d, static_cast<double>(std::uint64_t{1} << kCutBits));
  auto a0 = hn::Zero(du), a1 = a0, a2 = a0, a3 = a0;
  const auto cut = [&](auto& rest, auto& sum) HWY_ATTR {
    const auto shifted = hn::Add(rest, magic);
    sum = hn::Add(sum, hn::BitCast(du, shifted));
    rest = hn::Sub(rest, hn::Sub(shifted, magic));
  };
  HWY_ALIGN double tail[kCutLanes] = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    const double* at = x + i;
    if (i + lanes > n) {
      std::copy(x + i, x + n, tail);
      at = tail;
    }
    auto rest = hn::Mul(hn::LoadU(d, at), up);
    cut(rest, a0);
    rest = hn::Mul(rest, step);
    cut(rest, a1);
    rest = hn::Mul(rest, step);
    cut(rest, a2);
    rest = hn::Floor(hn::Mul(rest, down));
    cut(rest, a3);
  }
  const std::uint64_t offset = (n + lanes - 1) / lanes * std::bit_cast<std::uint64_t>(kMagic);
  HWY_ALIGN std::uint64_t lane[kCutLanes];
  const auto fold = [&](auto sum) HWY_ATTR {
    hn::Store(sum, du, lane);
    std::uint64_t total = 0;
    for (std::size_t l = 0; l < lanes; ++l) total += lane[l] - offset;
    return total;
  };
  out[0] = fold(a0);
  out[1] = fold(a1);
  out[2] = fold(a2);
  out[3] = fold(a3);
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb {
namespace detail {
HWY_EXPORT(CutTerms);
}  // namespace detail

void add_bounded(ExactSum& sum, std::span<const double> terms, int reach) {
  using namespace detail;
  const auto power = [](int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52); };
  while (!terms.empty()) {
    const std::span<const double> now = terms.first(std::min(terms.size(), kMostCutTerms));
    terms = terms.subspan(now.size());
    std::array<std::uint64_t, kCuts> cuts{};
    HWY_DYNAMIC_DISPATCH(CutTerms)
    (now.data(), now.size(), power(kCutBits - reach), power(kCutBits + reach), cuts.data());
    for (std::size_t c = 0; c < kCuts; ++c) {
      const bool last = c + 1 == kCuts;
      const int exponent = last ? ExactSum::kLowestExponent : reach - kCutBits * (static_cast<int>(c) + 1);
      sum.add_scaled(static_cast<std::int64_t>(cuts[c]), exponent);
    }
  }
}

}  // namespace plumb
#endif
