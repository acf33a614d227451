#include "plumb/numeric/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Reference: std::stable_sort of the indices.
std::vector<std::uint32_t> reference_order(const std::vector<double>& x) {
  std::vector<std::uint32_t> order(x.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
  return order;
}

void expect_sorted(const std::vector<double>& x, const std::string& what) {
  const auto want = reference_order(x);
  for (const int threads : {1, 2, 3, 16}) {
    const SortedColumn c = sort_column(x, threads);
    ASSERT_EQ(c.order, want) << what << ", n " << x.size() << ", threads " << threads;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(c.values[i], x[want[i]]) << what << " at " << i;
  }
}

std::vector<double> made(std::size_t n, auto make) {
  std::mt19937_64 g(n);
  std::vector<double> x(n);
  for (double& v : x) v = make(g);
  return x;
}

double uniform(std::mt19937_64& g) { return std::ldexp(static_cast<double>(g() >> 11), -53); }

TEST(Sort, EqualsStableSort) {
  for (const std::size_t n : {0, 1, 2, 3, 10, 1000, 20000}) {
    expect_sorted(made(n, uniform), "float64");
    expect_sorted(made(n, [](auto& g) { return static_cast<double>(static_cast<float>(uniform(g))); }),
                  "float32");
    expect_sorted(made(n, [](auto& g) { return uniform(g) - 0.5; }), "both signs");
    expect_sorted(made(n, [](auto& g) { return static_cast<double>(static_cast<float>(uniform(g) - 0.5)); }),
                  "float32, both signs");
    expect_sorted(made(n, [](auto& g) { return static_cast<double>(g() % 7); }), "ties");
    expect_sorted(made(n, [](auto& g) { return std::ldexp(static_cast<double>(g() >> 30), -20) - 4096.0; }),
                  "unused low bits, both signs");
    expect_sorted(made(n, [](auto&) { return 0.25; }), "constant");
    expect_sorted(made(n, [](auto&) { return 0.1; }), "constant float64");
    expect_sorted(made(n, [](auto& g) { return g() % 2 == 0 ? 0.1 : 0.1 + 0x1p-50; }), "two close values");
    expect_sorted(
        made(n, [](auto& g) { return std::ldexp(uniform(g) - 0.5, static_cast<int>(g() % 2090) - 1070); }),
        "every exponent");
  }
}

TEST(Sort, AscendingAndDescending) {
  std::vector<double> x(20000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sqrt(static_cast<double>(i));
  expect_sorted(x, "ascending");
  std::reverse(x.begin(), x.end());
  expect_sorted(x, "descending");
}

TEST(Sort, ZerosAreEqualAndInfinitiesAreEnds) {
  expect_sorted({0.0, -0.0, 0.0, -0.0, -1.0, 1.0}, "zeros");
  expect_sorted({0.0, -0.0, 0.1, -0.0, -0.1, 0.0}, "zeros among float64");
  expect_sorted(
      {1.0, kInfinity, -kInfinity, 0.1, 5e-324, -5e-324, std::numeric_limits<double>::max(), kInfinity},
      "extremes");
  expect_sorted({kInfinity, kInfinity}, "infinities");
  expect_sorted({1e300, 1e-300, -1e300, 3.0}, "beyond float32");
  expect_sorted({1e-45, 0x1p-149, 0.0, 0x1p-148}, "float32 subnormals");
}

TEST(Sort, NamesTheFirstNaN) {
  std::vector<double> x(200000, 0.5);
  x[150001] = std::numeric_limits<double>::quiet_NaN();
  x[199999] = std::numeric_limits<double>::quiet_NaN();
  for (const int threads : {1, 2, 16}) {
    try {
      static_cast<void>(sort_column(x, threads));
      FAIL() << "no exception";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("150001"), std::string::npos) << e.what();
    }
  }
}

TEST(Sort, RefusesMoreThanAnIndexCanHold) {
  const double x = 0.0;
  const std::span<const double> too_many(&x, std::size_t{1} << 32);  // never read
  EXPECT_THROW(static_cast<void>(sort_column(too_many)), std::invalid_argument);
}

TEST(SortPacked, AgreesWithStdSort) {
  for (const std::size_t n : {0, 1, 2, 63, 64, 1000, 70000, 600000}) {
    for (const int kind : {0, 1, 2, 3}) {
      std::mt19937_64 g(n + kind);
      std::vector<std::uint64_t> words(n);
      for (auto& w : words) {
        w = g();
        if (kind == 1) w &= 0x3f3f0000ull;             // few values
        if (kind == 2) w = 0x7fe0ull << 48 | w >> 40;  // one large bucket at first
        if (kind == 3) w = 5;
      }
      for (const int threads : {1, 2, 16}) {
        std::vector<double> keys(n), room(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = std::bit_cast<double>(words[i]);
        sort_packed(keys, room, 1, threads);
        auto want = words;
        std::sort(want.begin(), want.end());
        std::uint64_t low_bits = 0, want_low = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const auto got = std::bit_cast<std::uint64_t>(keys[i]);
          ASSERT_EQ(got >> 1, want[i] >> 1) << n << " " << kind << " " << threads << " at " << i;
          low_bits += got & 1, want_low += want[i] & 1;
        }
        EXPECT_EQ(low_bits, want_low);
      }
    }
  }
  std::vector<double> keys(3), room(2);
  EXPECT_THROW(sort_packed(keys, room, 0), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
