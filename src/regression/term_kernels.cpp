#include "regression/term_kernels.hpp"

#include <cmath>
#include <limits>

#include "numeric/shared/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "regression/term_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, 8);
using One = HWY_CAPPED(double, 1);
template <class Tag>
using VecOf = hn::Vec<Tag>;

// exp(a^2 / 2) (phi(a) - a P(X > a)), X standard normal, 0 <= a <= 9, as a polynomial in 26/9
// a/(a+4) - 1; times exp(-a^2 / 2) its error is below 6e-18. Interpolated at Chebyshev nodes in
// 50 digits (src/regression/crps.py).
constexpr double kExcess[] = {
    0x1.db0cded5dd838p-5,   -0x1.fad028e9b34f9p-4,  0x1.e5372770ea31ep-4,   -0x1.179bf57605da8p-4,
    0x1.9e36d948c0b25p-6,   -0x1.5b9d2e5eeb6f4p-8,  0x1.29294d82506e2p-13,  0x1.c6f0d8400b62bp-13,
    -0x1.ce16bce55bc27p-16, -0x1.596292f8de922p-17, 0x1.c1e820f50df3fp-20,  0x1.664b402ce55d3p-21,
    -0x1.2b8e6974a35d0p-24, -0x1.afefd62e73a94p-25, -0x1.2fdb7d93ed8f7p-31, 0x1.e2c081843fd95p-29,
    0x1.23889ca32d807p-31,  -0x1.6a77f753079bep-33, -0x1.c80e3be11afd2p-35};
constexpr double kExcessEnd = 9.0;  // beyond, exp(-a^2 / 2) leaves less than 1e-19
constexpr double kInvSqrtPi = 0.5641895835477563;

template <class Tag>
HWY_INLINE std::size_t EntryStep(Tag d, const double* e, const double* v, std::size_t at, double* sigma,
                                 double* abs_err, double* err2, double* abs_z, double* z2, double* half) {
  const auto zero = hn::Zero(d);
  const auto error = hn::LoadU(d, e + at);
  const auto size = hn::Abs(error);
  const auto s = hn::Sqrt(hn::LoadU(d, v + at));
  auto z = hn::Div(size, s);
  const auto good = hn::Lt(z, hn::Set(d, kMaxZ));  // false for 0 / 0 as well
  const auto inside = hn::IfThenElse(good, z, zero);
  const auto square = hn::Mul(inside, inside);
  z = hn::IfThenElse(
      good, z, hn::IfThenElse(hn::Eq(size, zero), zero, hn::Set(d, std::numeric_limits<double>::infinity())));
  hn::StoreU(s, d, sigma + at);
  hn::StoreU(size, d, abs_err + at);
  hn::StoreU(hn::Mul(error, error), d, err2 + at);
  hn::StoreU(z, d, abs_z + at);
  hn::StoreU(square, d, z2 + at);
  hn::StoreU(hn::Mul(square, hn::Set(d, -0.5)), d, half + at);
  return hn::Lanes(d) - hn::CountTrue(d, good);
}

std::size_t Entries(const double* e, const double* v, std::size_t n, double* sigma, double* abs_err,
                    double* err2, double* abs_z, double* z2, double* half) {
  constexpr D d{};
  constexpr One one{};
  std::size_t bad = 0, i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    bad += EntryStep(d, e, v, i, sigma, abs_err, err2, abs_z, z2, half);
  for (; i < n; ++i) bad += EntryStep(one, e, v, i, sigma, abs_err, err2, abs_z, z2, half);
  return bad;
}

// sigma (a - 1/sqrt(pi) + 2 (phi(a) - a P(X > a))), a = |z|.
template <class Tag>
HWY_INLINE void CrpsStep(Tag d, const double* sigma, const double* abs_z, const double* exponential,
                         std::size_t at, double* out) {
  const auto a = hn::LoadU(d, abs_z + at);
  const auto capped = hn::Min(a, hn::Set(d, kExcessEnd));
  const auto t = hn::Sub(hn::Mul(hn::Set(d, 26.0 / 9.0), hn::Div(capped, hn::Add(capped, hn::Set(d, 4.0)))),
                         hn::Set(d, 1.0));
  constexpr std::size_t kTerms = sizeof(kExcess) / sizeof(kExcess[0]);
  // Even and odd powers apart: two chains of half the length.
  const auto t2 = hn::Mul(t, t);
  auto even = hn::Set(d, kExcess[kTerms - 1]);
  auto odd = hn::Set(d, kExcess[kTerms - 2]);
  for (std::size_t k = kTerms - 1; k >= 2; k -= 2) {
    even = hn::Add(hn::Mul(even, t2), hn::Set(d, kExcess[k - 2]));
    if (k >= 4) odd = hn::Add(hn::Mul(odd, t2), hn::Set(d, kExcess[k - 3]));
  }
  const auto sum = hn::Add(hn::Mul(odd, t), even);
  const auto far = hn::Gt(a, hn::Set(d, kExcessEnd));
  const auto excess = hn::IfThenElse(far, hn::Zero(d), hn::Mul(sum, hn::LoadU(d, exponential + at)));
  const auto unit = hn::Add(hn::Sub(a, hn::Set(d, kInvSqrtPi)), hn::Add(excess, excess));
  hn::StoreU(hn::Mul(unit, hn::LoadU(d, sigma + at)), d, out + at);
}

void Crps(const double* sigma, const double* abs_z, const double* exponential, std::size_t n, double* out) {
  constexpr D d{};
  constexpr One one{};
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) CrpsStep(d, sigma, abs_z, exponential, i, out);
  for (; i < n; ++i) CrpsStep(one, sigma, abs_z, exponential, i, out);
}

std::size_t AtMost(const double* x, std::size_t n, double q) {
  constexpr D d{};
  const auto bound = hn::Set(d, q);
  std::size_t count = 0, i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    count += hn::CountTrue(d, hn::Le(hn::LoadU(d, x + i), bound));
  for (; i < n; ++i) count += static_cast<std::size_t>(x[i] <= q);
  return count;
}

template <class Tag>
HWY_INLINE void PlaceStep(Tag d, const double* x, std::size_t at, double low, double high, double scale,
                          int bins, double* bin) {
  const auto v = hn::LoadU(d, x + at);
  const auto last = hn::Set(d, static_cast<double>(bins - 1));
  const auto place = hn::Min(hn::Floor(hn::Mul(hn::Sub(v, hn::Set(d, low)), hn::Set(d, scale))), last);
  const auto inside = hn::And(hn::Ge(v, hn::Set(d, low)), hn::Le(v, hn::Set(d, high)));
  hn::StoreU(hn::IfThenElse(inside, place, hn::Set(d, static_cast<double>(bins))), d, bin + at);
}

void Place(const double* x, std::size_t n, double low, double high, double scale, int bins, double* bin) {
  constexpr D d{};
  constexpr One one{};
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) PlaceStep(d, x, i, low, high, scale, bins, bin);
  for (; i < n; ++i) PlaceStep(one, x, i, low, high, scale, bins, bin);
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(Entries);
HWY_EXPORT(Crps);
HWY_EXPORT(AtMost);
HWY_EXPORT(Place);

std::size_t entry_terms(const double* e, const double* v, std::size_t n, double* sigma, double* abs_err,
                        double* err2, double* abs_z, double* z2, double* half) {
  return HWY_DYNAMIC_DISPATCH(Entries)(e, v, n, sigma, abs_err, err2, abs_z, z2, half);
}

void crps_terms(const double* sigma, const double* abs_z, const double* exponential, std::size_t n,
                double* out) {
  HWY_DYNAMIC_DISPATCH(Crps)(sigma, abs_z, exponential, n, out);
}

std::size_t count_at_most(const double* x, std::size_t n, double q) {
  return HWY_DYNAMIC_DISPATCH(AtMost)(x, n, q);
}

void place_bins(const double* x, std::size_t n, double low, double high, int bins, double* bin) {
  // A range of one value has one bin: everything inside lands in bin 0.
  const double scale = high > low ? bins / (high - low) : 0.0;
  HWY_DYNAMIC_DISPATCH(Place)(x, n, low, high, std::isfinite(scale) ? scale : 0.0, bins, bin);
}

}  // namespace plumb::detail
#endif
