// The arithmetic of the kernels: what one forecast adds to the sums, operation for operation that of the
// CPU. Compiled for the device by nvcc and for the host by any compiler, where the tests compare its bits.
#pragma once

#include <cstdint>

#include "numeric/shared/elementary_coefficients.hpp"

#ifdef __CUDACC__
#define PLUMB_BOTH __host__ __device__ __forceinline__
#else
#define PLUMB_BOTH inline
#endif
#ifdef __CUDA_ARCH__
#define PLUMB_UNROLL _Pragma("unroll")
#else
#define PLUMB_UNROLL
#endif

namespace plumb::cuda {

PLUMB_BOTH std::uint64_t bits_of(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return __builtin_bit_cast(std::uint64_t, x);
#endif
}
PLUMB_BOTH std::uint32_t bits_of(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  return __builtin_bit_cast(std::uint32_t, x);
#endif
}
PLUMB_BOTH double double_of(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return __builtin_bit_cast(double, bits);
#endif
}

/// log_portable of numeric/elementary.hpp for 0 < x <= 1.
PLUMB_BOTH double log_of(double x) {
  using namespace plumb::detail;
  // An array of the host has no address on the device; its values do.
  constexpr double c0 = kLogC[0], c1 = kLogC[1], c2 = kLogC[2], c3 = kLogC[3], c4 = kLogC[4], c5 = kLogC[5],
                   c6 = kLogC[6];
  const bool tiny = x < kSmallestNormal;
  const std::uint64_t bits = bits_of(tiny ? x * kTwo54 : x) + (kBitsOfOne - kBitsOfRootHalf);
  const double k = double_of((bits >> 52) | kBitsOfTwo52) - (tiny ? kTwo52PlusBias + 54.0 : kTwo52PlusBias);
  const double f = double_of((bits & kMantissaBits) + kBitsOfRootHalf) - 1.0;
  const double s = f / (2.0 + f), half_square = 0.5 * f * f;
  const double z = s * s, z2 = z * z;
  const double a = (c0 + c1 * z) + (c2 + c3 * z) * z2;
  const double b = (c4 + c5 * z) + c6 * z2;
  const double correction = s * (half_square + (a + b * (z2 * z2)) * z) + k * kLn2Low;
  return k * kLn2High - ((half_square - correction) - f);
}

/// to_fixed of numeric/fixed_point.hpp for 0 <= x <= 1.
PLUMB_BOTH std::uint64_t fixed_of(double x) {
  constexpr double kOne = 1125899906842624.0;    // 2^50
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52
  return bits_of(x * kOne + kMagic) - bits_of(kMagic);
}

/// Where a forecast belongs: its bin and p in units of 2^-50.
struct Place {
  std::uint64_t q;
  int bin;
};
PLUMB_BOTH Place place_of(double p, int bins) {
  const int bin = static_cast<int>(p * bins);
  return {fixed_of(p), bin < bins ? bin : bins - 1};
}
/// The same without arithmetic in double, of which most devices have little. A product with a power of two is
/// exact, and rounded towards zero one with the number of bins does not cross an integer: the integers are
/// those of place_of(double), where 24 bits times the number of bins are not rounded.
PLUMB_BOTH Place place_of(float p, int bins) {
#ifdef __CUDA_ARCH__
  const std::uint64_t q = __float2ull_rn(p * 0x1p50f);
  const int bin = __float2int_rz(__fmul_rz(p, static_cast<float>(bins)));
#else
  const std::uint64_t q = fixed_of(static_cast<double>(p));
  const int bin = static_cast<int>(static_cast<double>(p) * bins);
#endif
  return {q, bin < bins ? bin : bins - 1};
}

PLUMB_BOTH double wide_of(double p) { return p; }
/// A float as a double; for most of them with integers, because conversions are slow on a device.
PLUMB_BOTH double wide_of(float p) {
  const std::uint32_t bits = bits_of(p);
  if (bits < 0x00800000u || bits >= 0x7f800000u) return static_cast<double>(p);  // 0, subnormal, negative
  return double_of((static_cast<std::uint64_t>(bits) << 29) + (std::uint64_t{896} << 52));
}

/// An exact sum of doubles below 2^(kTop - 1) that are multiples of 2^-106, as three integers: each term is
/// cut on two grids (adding 1.5 * 2^kTop rounds at 2^(kTop - 52)), and what is left is a small multiple of
/// the last bit. Squares of 1 - p and logarithms of p are such terms: 1 - p is a multiple of 2^-53, and a
/// logarithm is 0 or at least 2^-53 with 53 bits. Holds kThreadRows terms.
template <int kTop>
class LayeredSum {
 public:
  static constexpr int kFirstExponent = kTop - 52, kSecondExponent = kTop - 100, kLastExponent = -106;
  PLUMB_BOTH void add(double x) {
    const double a = x + kFirst;
    const double rest = x - (a - kFirst);
    const double b = rest + kSecond;
    first_ += bits_of(a);
    second_ += bits_of(b);
    // The last bit of larger terms is on the second grid.
    if ((bits_of(x) >> 52 & 0x7ff) < 1023 + kTop - 48)
      last_ += static_cast<std::int64_t>((rest - (b - kSecond)) * kLastScale);
  }
  // The integers of `terms` terms, in two's complement.
  PLUMB_BOTH std::uint64_t first(std::uint64_t terms) const { return first_ - terms * bits_of(kFirst); }
  PLUMB_BOTH std::uint64_t second(std::uint64_t terms) const { return second_ - terms * bits_of(kSecond); }
  PLUMB_BOTH std::uint64_t last() const { return static_cast<std::uint64_t>(last_); }

 private:
  static constexpr double power(int e) { return e == 0 ? 1.0 : e > 0 ? 2 * power(e - 1) : power(e + 1) / 2; }
  static constexpr double kFirst = 1.5 * power(kTop), kSecond = 1.5 * power(kTop - 48);
  static constexpr double kLastScale = 0x1p106;
  std::uint64_t first_ = 0, second_ = 0;  // sums of bits, which are those of the magic number too many
  std::int64_t last_ = 0;
};
using SquareSum = LayeredSum<3>;  ///< squared errors, between -2^-40 and 2.1
using LogSum = LayeredSum<12>;    ///< -log p, below 746

/// Terms that a thread may add before its sums are emptied: 2^50 times as many stay below 2^63, and two
/// counts of so many share a word.
inline constexpr std::int64_t kThreadRows = 8000;

}  // namespace plumb::cuda
