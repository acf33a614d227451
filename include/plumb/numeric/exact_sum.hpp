// An order-free sum of doubles: the same bits for any order, split or thread count.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace plumb {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// A 384-bit two's-complement fixed-point number with its last bit worth 2^-192. Adding is integer addition,
/// so it is associative and commutative; value() rounds once, to nearest even. Exact for terms with |x| >=
/// 2^-139; the part of a term below 2^-192 is cut off, term by term, which is still order-free. Terms reach
/// to |x| < 2^160 (about 1e48).
class ExactSum {
 public:
  static constexpr int kLimbs = 6;
  static constexpr int kLowestExponent = -192;
  static constexpr int kHighestExponent = 160;

  ExactSum() = default;
  explicit ExactSum(double x) { add(x); }

  void add(double x);                       ///< throws std::range_error when x is not finite or too large
  void add_scaled(int128 v, int exponent);  ///< adds v * 2^exponent exactly; -192 <= exponent <= 0
  void merge(const ExactSum& other);
  void subtract(const ExactSum& other);
  [[nodiscard]] double value() const;
  [[nodiscard]] bool is_zero() const;
  [[nodiscard]] const std::array<std::uint64_t, kLimbs>& limbs() const { return limb_; }
  [[nodiscard]] static ExactSum from_limbs(const std::array<std::uint64_t, kLimbs>& limbs) {
    ExactSum s;
    s.limb_ = limbs;
    return s;
  }
  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  void add_at(std::uint64_t low, std::int64_t high, int limb);  // a two-limb number, sign extended; limb <= 4
  void carry_over(int limb, bool up);                           // adds 1 or -1 at a limb
  void add_outside(double x);  // a term that reaches below the last bit or is out of range
  std::array<std::uint64_t, kLimbs> limb_{};
};

inline void ExactSum::add_at(std::uint64_t low, std::int64_t high, int limb) {
  std::uint64_t* l = limb_.data() + limb;
  const uint128 before = uint128{l[1]} << 64 | l[0];
  uint128 after = 0;
  const bool carry =
      __builtin_add_overflow(before, uint128{static_cast<std::uint64_t>(high)} << 64 | low, &after);
  l[0] = after;
  l[1] = after >> 64;
  // Above the term's own limbs stand 0s or, below zero, 1s:
  // with the carry equal to the sign nothing changes any more.
  if (carry != (high < 0)) [[unlikely]]
    carry_over(limb + 2, carry);
}

inline void ExactSum::add(double x) {
  constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  // x = mantissa * 2^(biased - 1075): where the mantissa's last bit goes.
  // Below the last limb this wraps to a large number.
  const unsigned shift = (bits >> 52 & 0x7ff) - (1075 + kLowestExponent);
  if (shift >= kHighestExponent - 52 - kLowestExponent) return add_outside(x);
  const std::int64_t mantissa = (bits & (kLeadingOne - 1)) | kLeadingOne;
  const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63);  // 0 or -1: (m ^ -1) - -1 = -m
  const std::int64_t m = (mantissa ^ sign) - sign;
  // m * 2^s over two limbs; the upper shift is done in two steps, for s may be 0
  const unsigned s = shift % 64;
  add_at(static_cast<std::uint64_t>(m) << s, (m >> 1) >> (63 - s), shift / 64);
}

}  // namespace plumb
