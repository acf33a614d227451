// An order-free sum of doubles: the same bits for any order, split or thread count.
#pragma once

#include <array>
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
  void add_at(int128 v, int limb);  // adds v * 2^(64 limb) in units of the last bit, sign extended
  std::array<std::uint64_t, kLimbs> limb_{};
};

inline void ExactSum::add_at(int128 v, int limb) {
  const auto add = [this](int at, std::uint64_t x, bool carry) {
    std::uint64_t sum = 0;
    const bool c1 = __builtin_add_overflow(limb_[at], x, &sum);
    const bool c2 = __builtin_add_overflow(sum, std::uint64_t{carry}, &limb_[at]);
    return c1 || c2;
  };
  const bool negative = v < 0;
  bool carry = add(limb, static_cast<std::uint64_t>(v), false);
  if (++limb == kLimbs) return;
  carry = add(limb, static_cast<std::uint64_t>(v >> 64), carry);
  // Above the term's own limbs stand 0s or, below zero, 1s: with the carry equal to the sign nothing changes
  // any more.
  const std::uint64_t fill = negative ? ~std::uint64_t{0} : 0;
  for (++limb; limb < kLimbs && carry != negative; ++limb) carry = add(limb, fill, carry);
}

}  // namespace plumb
