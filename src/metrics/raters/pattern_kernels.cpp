#include "metrics/raters/pattern_kernels.hpp"

#include <algorithm>
#include <bit>

#include "numeric/shared/highway.hpp"
#include "plumb/numeric/fixed_point.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/raters/pattern_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPatternGroup = 8;  // voxels at a time
using PD = HWY_CAPPED(double, kPatternGroup);
constexpr PD pd{};
constexpr hn::Rebind<std::int32_t, PD> pdi{};
constexpr hn::RebindToUnsigned<PD> pdu{};
constexpr std::size_t kPatternWidth = hn::MaxLanes(PD{});
constexpr double kPatternMagic = 6755399441055744.0;  // 1.5 * 2^52, as in to_fixed

HWY_INLINE hn::Vec<decltype(pdu)> pattern_raw(hn::Vec<PD> x) {
  return hn::BitCast(pdu, hn::Add(hn::Mul(x, hn::Set(pd, kFixedOne)), hn::Set(pd, kPatternMagic)));
}

HWY_INLINE void add_cell(const std::uint64_t* from, PatternCell* to) {
  const HWY_CAPPED(std::uint64_t, 4) d4;
  std::uint64_t* const words = &to->p;
  for (std::size_t j = 0; j < 4; j += hn::Lanes(d4))
    hn::Store(hn::Add(hn::Load(d4, words + j), hn::Load(d4, from + j)), d4, words + j);
}

/// Eight probabilities of one class into its tables, which begin at table[0], table[stride], ...
HWY_INLINE void add_group(const double* p, double bins, double mu, std::size_t stride, PatternCell* table) {
  HWY_ALIGN std::uint64_t words[4 * kPatternGroup];
  HWY_ALIGN std::int32_t bin[kPatternGroup];
  for (std::size_t j = 0; j < kPatternGroup; j += kPatternWidth) {
    const auto v = hn::Load(pd, p + j);
    hn::Store(hn::DemoteTo(pdi, hn::Min(hn::Mul(v, hn::Set(pd, bins)), hn::Set(pd, bins - 1))), pdi, bin + j);
    hn::StoreInterleaved4(pattern_raw(v), pattern_raw(hn::Mul(v, v)),
                          pattern_raw(hn::Mul(v, hn::Set(pd, mu))), hn::Set(pdu, std::uint64_t{1}), pdu,
                          words + 4 * j);
  }
  for (std::size_t j = 0; j < kPatternGroup; ++j)
    add_cell(words + 4 * j, table + j % kPatternCopies * stride + static_cast<std::size_t>(bin[j]));
}

void AddPattern(const double* p, std::size_t n, int bins, double mu0, double mu1, PatternCell* table) {
  const auto width = static_cast<double>(bins);
  const auto count = static_cast<std::size_t>(bins);
  const auto one = hn::Set(pd, 1.0);
  HWY_ALIGN double p1[kPatternGroup], p0[kPatternGroup];
  std::size_t i = 0;
  for (; i + kPatternGroup <= n; i += kPatternGroup) {
    for (std::size_t j = 0; j < kPatternGroup; j += kPatternWidth) {
      const auto v = hn::LoadU(pd, p + i + j);
      hn::Store(v, pd, p1 + j);
      hn::Store(hn::Sub(one, v), pd, p0 + j);
    }
    add_group(p0, width, mu0, 2 * count, table);
    add_group(p1, width, mu1, 2 * count, table + count);
  }
  const auto raw = [](double x) { return std::bit_cast<std::uint64_t>(x * kFixedOne + kPatternMagic); };
  for (; i < n; ++i)
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      const double v = k == 1 ? p[i] : 1 - p[i], mu = k == 1 ? mu1 : mu0;
      PatternCell& c = table[i % kPatternCopies * 2 * count + k * count +
                             static_cast<std::size_t>(std::min(static_cast<int>(v * width), bins - 1))];
      c.p += raw(v);
      c.pp += raw(v * v);
      c.pmu += raw(v * mu);
      c.items += 1;
    }
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(AddPattern);

void add_pattern(const double* p, std::size_t n, int bins, double mu0, double mu1, PatternCell* table) {
  HWY_DYNAMIC_DISPATCH(AddPattern)(p, n, bins, mu0, mu1, table);
}

}  // namespace plumb::detail
#endif
