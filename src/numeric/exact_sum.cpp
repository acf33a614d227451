#include "plumb/numeric/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

namespace plumb {

void ExactSum::add(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  if (biased == 0) return;  // zero, or a subnormal: far below the last bit
  if (biased >= kHighestExponent + 1023)
    throw std::range_error("a term of a sum is not finite or exceeds 2^160");
  const auto mantissa =
      static_cast<std::int64_t>((bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52));
  int shift = biased - 1075 - kLowestExponent;  // x = mantissa * 2^(biased - 1075)
  std::int64_t m = mantissa;
  if (shift < 0) {
    if (shift <= -53) return;
    m >>= -shift;  // cut towards zero, the same for this term wherever it stands
    shift = 0;
  }
  const int128 v = static_cast<int128>(static_cast<uint128>(m) << (shift % 64));
  add_at(bits >> 63 ? -v : v, shift / 64);
}

void ExactSum::add_scaled(int128 v, int exponent) {
  const int shift = exponent - kLowestExponent;
  const int limb = shift / 64;
  const int s = shift % 64;
  // v << s needs up to 191 bits: its low 64 bits and the rest go separately.
  const auto lo = static_cast<std::uint64_t>(v);
  const int128 hi = v >> 64;
  add_at(static_cast<int128>(static_cast<uint128>(lo) << s), limb);
  if (limb + 1 < kLimbs) add_at(static_cast<int128>(static_cast<uint128>(hi) << s), limb + 1);
}

void ExactSum::merge(const ExactSum& other) {
  uint128 carry = 0;
  for (int i = 0; i < kLimbs; ++i) {
    carry += static_cast<uint128>(limb_[i]) + other.limb_[i];
    limb_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

void ExactSum::subtract(const ExactSum& other) {
  uint128 carry = 1;  // a - b = a + ~b + 1
  for (int i = 0; i < kLimbs; ++i) {
    carry += static_cast<uint128>(limb_[i]) + ~other.limb_[i];
    limb_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

bool ExactSum::is_zero() const { return limb_ == std::array<std::uint64_t, kLimbs>{}; }

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
  // The 64 leading bits, with "any bit below" folded into the last one, round to 53 by the hardware's
  // nearest-even.
  const int lead = std::countl_zero(l[top]);
  std::uint64_t head = l[top] << lead;
  std::uint64_t rest = 0;
  if (top > 0) {
    if (lead > 0) head |= l[top - 1] >> (64 - lead);
    rest = lead > 0 ? l[top - 1] << lead : l[top - 1];
    for (int i = top - 2; i >= 0; --i) rest |= l[i];
  }
  if (rest != 0) head |= 1;
  const double r = std::ldexp(static_cast<double>(head), top * 64 - lead + kLowestExponent);
  return negative ? -r : r;
}

}  // namespace plumb
