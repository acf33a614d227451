#include "plumb/numeric/exact_cut.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "each_target.hpp"

namespace plumb {
namespace {

void expect_same_as_one_by_one(const std::vector<double>& terms, int reach) {
  ExactSum expected;
  for (const double x : terms) expected.add(x);
  each_target([&] {
    ExactSum got;
    add_bounded(got, terms, reach);
    EXPECT_TRUE(got == expected) << terms.size() << " terms, reach " << reach;
  });
}

/// Terms of all sizes, also those that reach below the last bit of the sum.
TEST(ExactCut, SameBitsAsOneByOne) {
  std::uint64_t state = 7;
  const auto uniform = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (const int reach : {0, 1, 2, 3})
    for (const std::size_t n : {0, 1, 7, 8, 9, 4095, 4097, 20'000}) {
      std::vector<double> terms(n);
      for (double& x : terms) x = std::ldexp(uniform(), reach - static_cast<int>(uniform() * 230));
      expect_same_as_one_by_one(terms, reach);
    }
}

TEST(ExactCut, EndsOfTheRange) {
  for (const int reach : {0, 3}) {
    const double most = std::ldexp(1, reach);
    expect_same_as_one_by_one(std::vector<double>(4096, most), reach);
    expect_same_as_one_by_one(std::vector<double>(4096, std::nextafter(most, 0)), reach);
  }
  expect_same_as_one_by_one({0, -0.0, 0x1p-1074, 0x1p-192, 0x1.8p-193, 0x1.fffffffffffffp-150, 1}, 0);
  // half of each unit, where rounding goes up and down in turn
  expect_same_as_one_by_one({0x1p-49, 0x3p-49, 0x1p-97, 0x3p-97, 0x1p-145, 0x3p-145, 0x1p-193}, 0);
}

}  // namespace
}  // namespace plumb
