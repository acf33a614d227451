// Reference: the arithmetic of the kernels against that of the CPU, bit for bit.
#include "cuda/arithmetic.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

/// Probabilities of every size: uniform, near 0, near 1, subnormal, on and beside the limits of bins.
template <class P>
std::vector<P> hard_probabilities(std::size_t n, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 1);
  std::vector<P> out{P{0}, P{1}, P{0.5}, std::numeric_limits<P>::denorm_min(), std::numeric_limits<P>::min()};
  out.push_back(-P{0});
  out.push_back(std::nextafter(P{1}, P{0}));
  for (int bins : {1, 2, 7, 10, 15, 100})
    for (int b = 0; b <= bins; ++b) {
      const P edge = static_cast<P>(static_cast<double>(b) / bins);
      for (const P x : {edge, std::nextafter(edge, P{0}), std::nextafter(edge, P{1})}) out.push_back(x);
    }
  while (out.size() < n) {
    const double u = rng.uniform();
    out.push_back(static_cast<P>(u));
    out.push_back(static_cast<P>(u * std::ldexp(1.0, -static_cast<int>(rng.uniform() * 160))));
    out.push_back(static_cast<P>(1 - u * std::ldexp(1.0, -static_cast<int>(rng.uniform() * 60))));
  }
  return out;
}

template <class P>
void expect_same_places() {
  for (const int bins : {1, 2, 7, 10, 15, 100, 999}) {
    const BinEdges edges{bins, true, {}};
    for (const P p : hard_probabilities<P>(20000, bins)) {
      const cuda::Place place = cuda::place_of(p, bins);
      const auto wide = static_cast<double>(p);
      ASSERT_EQ(place.bin, edges.bin_of(wide)) << p << ", " << bins << " bins";
      ASSERT_EQ(place.q, static_cast<std::uint64_t>(to_fixed(wide))) << p;
    }
  }
}

TEST(CudaArithmetic, PlacesOfFloatsAreThoseOfTheCpu) { expect_same_places<float>(); }
TEST(CudaArithmetic, PlacesOfDoublesAreThoseOfTheCpu) { expect_same_places<double>(); }

TEST(CudaArithmetic, LogHasTheBitsOfTheCpu) {
  for (const double p : hard_probabilities<double>(300000, 5)) {
    if (!(p > 0)) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(cuda::log_of(p)), std::bit_cast<std::uint64_t>(log_portable(p)))
        << p;
  }
}

/// The integers of a layered sum as an exact sum.
template <class Sum>
ExactSum exact(const Sum& s, std::uint64_t terms) {
  ExactSum out;
  out.add_scaled(static_cast<std::int64_t>(s.first(terms)), Sum::kFirstExponent);
  out.add_scaled(static_cast<std::int64_t>(s.second(terms)), Sum::kSecondExponent);
  out.add_scaled(static_cast<std::int64_t>(s.last()), Sum::kLastExponent);
  return out;
}

TEST(CudaArithmetic, LayeredSumsAreExact) {
  const std::vector<double> p = hard_probabilities<double>(5 * cuda::kThreadRows, 7);
  for (std::size_t begin = 0; begin + cuda::kThreadRows <= p.size(); begin += cuda::kThreadRows) {
    cuda::SquareSum squares;
    cuda::LogSum logs;
    ExactSum expected_squares, expected_logs;
    for (std::size_t i = begin; i < begin + cuda::kThreadRows; ++i) {
      const double missing = 1.0 - p[i], square = missing * missing;
      const double loss = p[i] > 0 ? -log_portable(p[i]) : 0.0;
      squares.add(square);
      expected_squares.add(square);
      logs.add(loss);
      expected_logs.add(loss);
    }
    ASSERT_EQ(exact(squares, cuda::kThreadRows), expected_squares);
    ASSERT_EQ(exact(logs, cuda::kThreadRows), expected_logs);
  }
}

// Edge: a thread's integers at their largest.
TEST(CudaArithmetic, ThreadsHoldAsManyTermsAsTheyMay) {
  cuda::SquareSum squares;
  cuda::LogSum logs;
  ExactSum expected_squares, expected_logs;
  const double largest = -log_portable(std::numeric_limits<double>::denorm_min());
  for (std::int64_t i = 0; i < cuda::kThreadRows; ++i) {
    squares.add(2.003);
    expected_squares.add(2.003);
    logs.add(largest);
    expected_logs.add(largest);
  }
  EXPECT_EQ(exact(squares, cuda::kThreadRows), expected_squares);
  EXPECT_EQ(exact(logs, cuda::kThreadRows), expected_logs);
  EXPECT_LT(static_cast<double>(cuda::kThreadRows) * kFixedOne, 0x1p63);
  EXPECT_LT(cuda::kThreadRows, 65536);  // two counts share a word
}

}  // namespace
}  // namespace plumb
