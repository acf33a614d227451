#include "plumb/numeric/elementary.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "numeric/shared/elementary_coefficients.hpp"

namespace plumb {
namespace {

using namespace detail;

double power_of_two(std::uint64_t biased_exponent) { return std::bit_cast<double>(biased_exponent << 52); }

// Estrin's scheme: shorter chains than Horner's, and one fixed order of operations.
double exp_polynomial(double r) {
  const double r2 = r * r, r4 = r2 * r2;
  const double a = (kExpC[0] + kExpC[1] * r) + (kExpC[2] + kExpC[3] * r) * r2;
  const double b = (kExpC[4] + kExpC[5] * r) + (kExpC[6] + kExpC[7] * r) * r2;
  const double c = (kExpC[8] + kExpC[9] * r) + kExpC[10] * r2;
  return a + (b + c * r4) * r4;
}

double log_polynomial(double z) {
  const double z2 = z * z;
  const double a = (kLogC[0] + kLogC[1] * z) + (kLogC[2] + kLogC[3] * z) * z2;
  const double b = (kLogC[4] + kLogC[5] * z) + kLogC[6] * z2;
  return (a + b * (z2 * z2)) * z;
}

}  // namespace

// x = k ln 2 + r with |r| <= ln(2)/2 (Cody and Waite); exp(x) = 2^k (1 + r + r^2 P(r)).
double exp_portable(double x) {
  if (x != x) return x;
  if (x < kExpLow) return 0.0;
  const double y = x > kExpHigh ? kExpHigh : x;
  const double shifted = y * kLog2E + kRoundingShift;
  const double k = shifted - kRoundingShift, high = y - k * kLn2High;
  const double low = k * kLn2Low, r = high - low;
  const double e = 1.0 + (high + (r * r * exp_polynomial(r) - low));
  // 2^k in two factors, so that overflow and gradual underflow happen in the last multiplication alone.
  const std::uint64_t n =
      std::bit_cast<std::uint64_t>(shifted) - std::bit_cast<std::uint64_t>(kRoundingShift) + 2048;
  const std::uint64_t half = n >> 1;
  return e * power_of_two(half - 1) * power_of_two(n - half - 1);
}

// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); with s = f / (2 + f), log(1 + f) = f - (f^2/2 - s (f^2/2
// + R(s^2))).
double log_portable(double x) {
  if (!(x > 0.0))
    return x == 0.0 ? -std::numeric_limits<double>::infinity()
           : x != x ? x
                    : std::numeric_limits<double>::quiet_NaN();
  if (x > std::numeric_limits<double>::max()) return x;
  const bool tiny = x < kSmallestNormal;
  const auto bits = std::bit_cast<std::uint64_t>(tiny ? x * kTwo54 : x) + (kBitsOfOne - kBitsOfRootHalf);
  const double k =
      std::bit_cast<double>((bits >> 52) | kBitsOfTwo52) - (tiny ? kTwo52PlusBias + 54.0 : kTwo52PlusBias);
  const double f = std::bit_cast<double>((bits & kMantissaBits) + kBitsOfRootHalf) - 1.0;
  const double s = f / (2.0 + f), half_square = 0.5 * f * f;
  const double correction = s * (half_square + log_polynomial(s * s)) + k * kLn2Low;
  return k * kLn2High - ((half_square - correction) - f);
}

double logistic(double x) {
  const double e = exp_portable(x < 0.0 ? x : -x);
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

}  // namespace plumb
