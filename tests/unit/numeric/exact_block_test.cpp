#include "plumb/numeric/exact_block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "each_target.hpp"

namespace plumb {
namespace {

/// Terms of mixed sign with exponents from `low` to `high`, some of them 0.
std::vector<double> block_terms(std::uint64_t seed, std::size_t n, int low, int high) {
  std::mt19937_64 g(seed);
  std::uniform_int_distribution<int> exponent(low, high);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::vector<double> out(n);
  for (double& x : out) x = g() % 11 == 0 ? 0.0 : std::ldexp(mantissa(g), exponent(g));
  return out;
}

ExactSum one_by_one(std::span<const double> terms) {
  ExactSum s;
  for (const double x : terms) s.add(x);
  return s;
}

// Reference: the terms one by one. Narrow ranges go through the layers, wide ones do not fit them.
TEST(ExactBlock, EqualsTermByTerm) {
  each_target([] {
    std::uint64_t seed = 0;
    for (const auto& [low, high] :
         {std::pair(-3, 0), std::pair(-40, 3), std::pair(-73, 0), std::pair(-90, 0), std::pair(-139, -60),
          std::pair(-250, -60), std::pair(-500, -100), std::pair(100, 158), std::pair(-200, 150)})
      for (const std::size_t n : {0, 1, 7, 8, 9, 511, 512, 513, 5000}) {
        const auto terms = block_terms(++seed, n, low, high);
        ExactSum s(0.75), expected = one_by_one(terms);
        expected.add(0.75);
        add_block(s, terms);
        ASSERT_EQ(s, expected) << "seed " << seed << ", " << n << " terms of 2^" << low << " to 2^" << high;
      }
  });
}

TEST(ExactBlock, EqualLargestTermsDoNotOverflowALayer) {
  each_target([] {
    for (const double x : {1.0, 0x1.fffffffffffffp0, -0x1.fffffffffffffp3, 0x1.0000000000001p-9}) {
      const std::vector<double> terms(4096, x);
      ExactSum s;
      add_block(s, terms);
      ASSERT_EQ(s, one_by_one(terms)) << x;
    }
  });
}

TEST(ExactBlock, RefusesWhatASumRefuses) {
  each_target([] {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 0x1p160})
      for (const double other : {0.0, 1.0}) {
        std::vector<double> terms(100, other);
        terms[57] = bad;
        ExactSum s;
        EXPECT_THROW(add_block(s, terms), std::range_error) << bad << " among " << other;
      }
  });
}

}  // namespace
}  // namespace plumb
