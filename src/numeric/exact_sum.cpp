#include "plumb/numeric/exact_sum.hpp"

#include <bit>
#include <stdexcept>

namespace plumb {

void ExactSum::carry_over(int limb, bool up) {
  for (; limb < kLimbs; ++limb)
    if (up ? ++limb_[limb] != 0 : limb_[limb]-- != 0) return;
}

void ExactSum::add_outside(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = bits >> 52 & 0x7ff;
  if (biased >= kHighestExponent + 1023)
    throw std::range_error("a term of a sum is not finite or exceeds 2^160");
  const int drop = kLowestExponent + 1075 - biased;  // bits of the mantissa below the last bit of the sum
  if (biased == 0 || drop >= 53) return;             // zero, or below the last bit altogether
  const std::uint64_t mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const std::int64_t m = mantissa >> drop;  // truncated towards zero, in any order of terms
  if (m != 0) add_at(bits >> 63 ? -m : m, bits >> 63 ? -1 : 0, 0);
}

void ExactSum::add_scaled(int128 v, int exponent) {
  if (exponent < kLowestExponent || exponent > 0)
    throw std::range_error("the exponent of a scaled term must be between -192 and 0");
  const int shift = exponent - kLowestExponent, limb = shift / 64;
  const int s = shift % 64;
  // v * 2^s needs up to 191 bits: the low 64 bits of v, which count as positive, and the rest go separately.
  const uint128 low = uint128{static_cast<std::uint64_t>(v)} << s;
  const auto high = static_cast<uint128>(v >> 64) << s;
  add_at(low, low >> 64, limb);
  add_at(high, high >> 64, limb + 1);
}

void ExactSum::merge(const ExactSum& other) {
  uint128 carry = 0;
  for (int i = 0; i < kLimbs; ++i) {
    carry += uint128{limb_[i]} + other.limb_[i];
    limb_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

void ExactSum::subtract(const ExactSum& other) {
  uint128 carry = 1;  // a - b = a + ~b + 1
  for (int i = 0; i < kLimbs; ++i) {
    carry += uint128{limb_[i]} + ~other.limb_[i];
    limb_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

bool ExactSum::is_zero() const {
  std::uint64_t any = 0;
  for (const std::uint64_t l : limb_) any |= l;
  return any == 0;
}

double ExactSum::value() const {
  ExactSum magnitude = *this;
  const bool negative = limb_[kLimbs - 1] >> 63;
  if (negative) {
    magnitude = ExactSum{};
    magnitude.subtract(*this);
  }
  const auto& l = magnitude.limb_;
  int top = kLimbs - 1;
  while (top >= 0 && l[top] == 0) --top;
  if (top < 0) return 0.0;
  // The 64 leading bits, with "any bit below" folded into the last one, round to 53 by the
  // hardware's nearest-even.
  const int lead = std::countl_zero(l[top]);
  std::uint64_t head = l[top] << lead;
  std::uint64_t rest = 0;
  if (top > 0) {
    if (lead > 0) head |= l[top - 1] >> (64 - lead);
    rest = lead > 0 ? l[top - 1] << lead : l[top - 1];
    for (int i = top - 2; i >= 0; --i) rest |= l[i];
  }
  if (rest != 0) head |= 1;
  // Head is at least 2^63 and the exponent between -255 and 128: a multiplication by a power of two is exact.
  const std::uint64_t biased = 1023 + top * 64 - lead + kLowestExponent;
  const double r = static_cast<double>(head) * std::bit_cast<double>(biased << 52);
  return negative ? -r : r;
}

}  // namespace plumb
