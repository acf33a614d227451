#include "plumb/numeric/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace plumb {
namespace {

__extension__ using float128 = __float128;

ExactSum sum_of(const std::vector<double>& terms) {
  ExactSum s;
  for (const double x : terms) s.add(x);
  return s;
}

// Terms of mixed sign whose exponents lie in [-spread, spread].
std::vector<double> random_terms(std::uint64_t seed, std::size_t n, int spread) {
  std::mt19937_64 g(seed);
  std::vector<double> terms(n);
  for (double& x : terms) {
    const double mantissa = 1.0 + std::ldexp(static_cast<double>(g() >> 12), -52);
    const int exponent = static_cast<int>(g() % static_cast<std::uint64_t>(2 * spread + 1)) - spread;
    x = std::ldexp(g() % 2 == 0 ? mantissa : -mantissa, exponent);
  }
  return terms;
}

TEST(ExactSum, EmptyIsZero) {
  EXPECT_EQ(ExactSum{}.value(), 0.0);
  EXPECT_FALSE(std::signbit(ExactSum{}.value()));
  EXPECT_TRUE(ExactSum{}.is_zero());
}

TEST(ExactSum, OneTermComesBack) {
  for (const double x : random_terms(1, 2000, 130)) ASSERT_EQ(ExactSum(x).value(), x);
  for (const double x :
       {1.0, -1.0, 0x1p-139, -0x1.fffffffffffffp-140, 0x1.fffffffffffffp159, -0x1.fffffffffffffp159, 0.0}) {
    EXPECT_EQ(ExactSum(x).value(), x);
  }
}

// Reference: __float128 holds a sum of doubles exactly while the exponents span at most 113 -
// 53 - log2(n) bits.
TEST(ExactSum, EqualsQuadrupleSum) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto terms = random_terms(seed, 500, 20);
    float128 quad = 0;
    for (const double x : terms) quad += x;
    ASSERT_EQ(sum_of(terms).value(), static_cast<double>(quad)) << "seed " << seed;
  }
}

// Reference over the whole range: schoolbook addition of sign and magnitude, digit by digit,
// written independently.
double schoolbook(const std::vector<double>& terms) {
  constexpr int kDigits = 400;  // bits, the last one worth 2^-192
  std::vector<std::int64_t> digit(kDigits, 0);
  for (const double x : terms) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    auto mantissa = static_cast<std::int64_t>(std::ldexp(std::fabs(fraction), 53));
    for (int at = exponent - 53 + 192; mantissa != 0; mantissa >>= 1, ++at) {
      if ((mantissa & 1) != 0 && at >= 0) digit[static_cast<std::size_t>(at)] += x < 0 ? -1 : 1;
    }
  }
  // Carry so that each digit is 0 or 1, the sign taken out.
  const auto carried = [](std::vector<std::int64_t> d) {
    std::int64_t carry = 0;
    for (auto& v : d) {
      v += carry;
      carry = v >> 1;
      v &= 1;
    }
    return std::pair(d, carry);
  };
  auto [bits, carry] = carried(digit);
  const bool negative = carry < 0;
  if (negative) {
    for (auto& v : digit) v = -v;
    bits = carried(digit).first;
  }
  int top = kDigits - 1;
  while (top >= 0 && bits[static_cast<std::size_t>(top)] == 0) --top;
  if (top < 0) return 0.0;
  std::uint64_t head = 0;
  for (int i = top; i > top - 53; --i)
    head = head * 2 + (i >= 0 ? static_cast<std::uint64_t>(bits[static_cast<std::size_t>(i)]) : 0);
  const int half = top - 53;
  if (half >= 0 && bits[static_cast<std::size_t>(half)] != 0) {
    const bool more = std::any_of(bits.begin(), bits.begin() + half, [](auto b) { return b != 0; });
    if (more || head % 2 == 1) ++head;
  }
  const double r = std::ldexp(static_cast<double>(head), top - 52 - 192);
  return negative ? -r : r;
}

TEST(ExactSum, EqualsSchoolbookSumOverTheWholeRange) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto terms = random_terms(1000 + seed, 40, 158);
    ASSERT_EQ(sum_of(terms).value(), schoolbook(terms)) << "seed " << seed;
  }
}

TEST(ExactSum, AnyOrderAndAnySplitGiveTheSameLimbs) {
  auto terms = random_terms(5, 3000, 150);
  const ExactSum whole = sum_of(terms);
  std::mt19937_64 g(6);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(terms.begin(), terms.end(), g);
    std::vector<ExactSum> parts(1 + g() % 7);
    for (std::size_t i = 0; i < terms.size(); ++i) parts[g() % parts.size()].add(terms[i]);
    std::shuffle(parts.begin(), parts.end(), g);
    ExactSum merged;
    for (const ExactSum& p : parts) merged.merge(p);
    ASSERT_EQ(merged, whole) << "round " << round;
  }
}

TEST(ExactSum, CancellationLeavesTheSmallTerm) {
  EXPECT_EQ(sum_of({1e40, 1.0, -1e40}).value(), 1.0);
  EXPECT_EQ(sum_of({1e40, 0x1p-139, -1e40}).value(), 0x1p-139);
  EXPECT_EQ(sum_of({-1e40, -3.5, 1e40}).value(), -3.5);
  auto terms = random_terms(7, 1000, 150);
  const std::size_t n = terms.size();
  for (std::size_t i = 0; i < n; ++i) terms.push_back(-terms[i]);
  std::shuffle(terms.begin(), terms.end(), std::mt19937_64(8));
  EXPECT_TRUE(sum_of(terms).is_zero());
}

TEST(ExactSum, RoundsToNearestEven) {
  constexpr double kUlp = 0x1p-52;  // of 1
  EXPECT_EQ(sum_of({1.0, kUlp / 2}).value(), 1.0);
  EXPECT_EQ(sum_of({1.0 + kUlp, kUlp / 2}).value(), 1.0 + 2 * kUlp);
  EXPECT_EQ(sum_of({1.0, kUlp / 2, 0x1p-190}).value(), 1.0 + kUlp);
  EXPECT_EQ(sum_of({1.0 + kUlp, kUlp / 2, -0x1p-190}).value(), 1.0 + kUlp);
  EXPECT_EQ(sum_of({-1.0, -kUlp / 2, -0x1p-190}).value(), -1.0 - kUlp);
  EXPECT_EQ(sum_of({2.0, -kUlp / 4}).value(), 2.0);
  EXPECT_EQ(sum_of({2.0, -kUlp / 2}).value(), 2.0);
  EXPECT_EQ(sum_of({2.0, -kUlp / 2, -0x1p-190}).value(), 2.0 - kUlp);
}

TEST(ExactSum, NegativeTotals) {
  EXPECT_EQ(sum_of({-0.25}).value(), -0.25);
  EXPECT_EQ(sum_of({0.5, -0.75}).value(), -0.25);
  EXPECT_EQ(sum_of(std::vector<double>(1000, -0.125)).value(), -125.0);
  ExactSum s(0.5);
  for (int i = 0; i < 6; ++i) s.add(i % 2 == 0 ? -1.0 : 1.0);  // to and fro across zero
  EXPECT_EQ(s.value(), 0.5);
}

TEST(ExactSum, BelowTheLastBitIsCutTowardsZero) {
  EXPECT_TRUE(ExactSum(0x1p-193).is_zero());
  EXPECT_TRUE(ExactSum(-0x1p-193).is_zero());
  EXPECT_TRUE(ExactSum(std::numeric_limits<double>::denorm_min()).is_zero());
  EXPECT_EQ(ExactSum(0x1.8p-192).value(), 0x1p-192);
  EXPECT_EQ(ExactSum(-0x1.8p-192).value(), -0x1p-192);
  EXPECT_EQ(ExactSum(-0x1.0000000000001p-141).value(), -0x1p-141);
  EXPECT_EQ(ExactSum(0x1.0000000000001p-140).value(), 0x1.0000000000001p-140);
}

TEST(ExactSum, ScaledTermsEqualPlainOnes) {
  std::mt19937_64 g(9);
  for (int i = 0; i < 5000; ++i) {
    const auto v = static_cast<std::int64_t>(g()) >> (11 + g() % 50);  // at most 53 bits: exact as a double
    const int exponent = -static_cast<int>(g() % 139);
    ExactSum scaled;
    scaled.add_scaled(v, exponent);
    ASSERT_EQ(scaled, ExactSum(std::ldexp(static_cast<double>(v), exponent))) << v << " * 2^" << exponent;
  }
}

TEST(ExactSum, ScaledTermsUseAll128Bits) {
  std::mt19937_64 g(10);
  for (int i = 0; i < 2000; ++i) {
    const auto high = static_cast<std::int64_t>(g());
    const auto low = static_cast<std::uint64_t>(g());
    const int128 v = (static_cast<int128>(high) << 64) + static_cast<int128>(low);
    const int exponent = -static_cast<int>(g() % 193);
    ExactSum scaled;
    scaled.add_scaled(v, exponent);
    ExactSum parts;  // 2^64 high + low by repeated doubling
    parts.add_scaled(high, exponent);
    for (int k = 0; k < 64; ++k) parts.merge(ExactSum(parts));
    parts.add_scaled(static_cast<int128>(low), exponent);
    ASSERT_EQ(scaled, parts) << "2^64 * " << high << " + " << low << " at 2^" << exponent;
  }
  EXPECT_THROW(ExactSum{}.add_scaled(1, -193), std::range_error);
  EXPECT_THROW(ExactSum{}.add_scaled(1, 1), std::range_error);
}

TEST(ExactSum, SubtractUndoesMerge) {
  const ExactSum a = sum_of(random_terms(11, 100, 150));
  const ExactSum b = sum_of(random_terms(12, 100, 150));
  ExactSum c = a;
  c.merge(b);
  c.subtract(b);
  EXPECT_EQ(c, a);
  c.subtract(a);
  EXPECT_TRUE(c.is_zero());
  c.subtract(a);
  EXPECT_EQ(c.value(), -a.value());
}

TEST(ExactSum, LimbsComeBack) {
  const ExactSum a = sum_of(random_terms(13, 100, 150));
  EXPECT_EQ(ExactSum::from_limbs(a.limbs()), a);
}

TEST(ExactSum, RefusesWhatDoesNotFit) {
  ExactSum s(1.0);
  EXPECT_THROW(s.add(0x1p160), std::range_error);
  EXPECT_THROW(s.add(-0x1p160), std::range_error);
  EXPECT_THROW(s.add(std::numeric_limits<double>::infinity()), std::range_error);
  EXPECT_THROW(s.add(std::numeric_limits<double>::quiet_NaN()), std::range_error);
  EXPECT_THROW(s.add(std::numeric_limits<double>::max()), std::range_error);
  EXPECT_EQ(s.value(), 1.0);  // a refused term leaves the sum alone
}

}  // namespace
}  // namespace plumb
