// The bits themselves, pinned: a machine, compiler or library that gives others fails here.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "each_target.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace {

constexpr std::size_t kPoints = 20000;

std::vector<double> points(double low, double high) {
  std::vector<double> x(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i)
    x[i] = low + (high - low) * random_uniform(1, Purpose::demo, 0, i);
  return x;
}

// FNV-1a over the 64-bit patterns.
std::uint64_t fingerprint(const std::vector<double>& x) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const double v : x) h = (h ^ std::bit_cast<std::uint64_t>(v)) * 0x100000001b3;
  return h;
}

std::uint64_t fingerprint_of(double (*f)(double), double low, double high) {
  auto x = points(low, high);
  for (double& v : x) v = f(v);
  return fingerprint(x);
}

TEST(SameBits, Elementary) {
  EXPECT_EQ(fingerprint_of(exp_portable, -750.0, 715.0), 0xb393125a317fe791);
  EXPECT_EQ(fingerprint_of(log_portable, 0.0, 1.0), 0x4857b5c920251fbd);
  EXPECT_EQ(fingerprint_of(logistic, -40.0, 40.0), 0x5a718d79f8c39208);
}

TEST(SameBits, Softmax) {
  each_target([] {
    auto x = points(-30.0, 30.0);
    softmax_row(x);
    EXPECT_EQ(fingerprint(x), 0xd8dc973ad7f0bd34);
  });
}

TEST(SameBits, Special) {
  EXPECT_EQ(fingerprint_of(log_gamma, 0.0, 40.0), 0x9487d9c386aad0f1);
  EXPECT_EQ(fingerprint_of(normal_cdf, -40.0, 10.0), 0x7e2783c65f5982bf);
  EXPECT_EQ(fingerprint_of(normal_quantile, 0.0, 1.0), 0xc3712abb775d1f4f);
}

TEST(SameBits, Random) {
  std::vector<double> x(kPoints);
  RandomStream s(2, Purpose::demo, 7);
  for (double& v : x) v = s.gamma(1.5) + s.gamma(0.5);
  EXPECT_EQ(fingerprint(x), 0xbf611da5ceb72b9d);
}

}  // namespace
}  // namespace plumb
