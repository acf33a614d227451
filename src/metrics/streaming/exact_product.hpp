// Products that enter an order-free sum without rounding.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb::detail {

/// |x| = mantissa * 2^exponent; 0 and subnormal numbers (far below the last bit of any sum) have mantissa 0.
struct Split {
  std::uint64_t mantissa;
  int exponent;
};
[[nodiscard]] inline Split split(double x) {
  constexpr std::uint64_t kHidden = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = bits >> 52 & 0x7ff;
  return {biased == 0 ? 0 : (bits & (kHidden - 1)) | kHidden, biased - 1075};
}

/// Adds a * b; what lies below 2^-192 is cut off. Needs |a * b| < 2^124, which also refuses what is
/// not finite.
inline void add_product(ExactSum& sum, double a, double b) {
  const Split x = split(a), y = split(b);
  int128 v = uint128{x.mantissa} * y.mantissa;
  if (v == 0) return;
  int exponent = x.exponent + y.exponent;
  if (exponent > 20) throw std::range_error("a product in a sum is not finite or exceeds 2^124");
  if (exponent > 0) {
    v <<= exponent;
    exponent = 0;
  } else if (exponent < ExactSum::kLowestExponent) {
    const int below = ExactSum::kLowestExponent - exponent;
    if (below >= 106) return;
    v >>= below;
    exponent = ExactSum::kLowestExponent;
  }
  sum.add_scaled((a < 0) != (b < 0) ? -v : v, exponent);
}

}  // namespace plumb::detail
