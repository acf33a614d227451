#include "plumb/numeric/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "each_target.hpp"
#include "numeric/random_layout.hpp"

namespace plumb {
namespace {

using detail::kPoisson;
using detail::poisson_of;

using Words = std::array<std::uint32_t, 4>;

// Golden: kat_vectors of Random123, philox4x32 10.
TEST(Random, PhiloxKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The place of each number is part of every interval ever published: these must not change.
TEST(Random, TheLayoutIsFixed) {
  constexpr std::uint64_t kSeed = 0x299f31d0a4093822;
  constexpr std::uint64_t kUnit = 0x85a308d3243f6a88;
  const auto pair = philox4x32({0x921fb544, 0x42d18469, 6, 5}, {0xa4093822, 0x299f31d0});  // half of the unit
  EXPECT_EQ(random_bits(kSeed, Purpose::sample, 6, kUnit), std::uint64_t{pair[1]} << 32 | pair[0]);
  EXPECT_EQ(random_bits(kSeed, Purpose::sample, 6, kUnit + 1), std::uint64_t{pair[3]} << 32 | pair[2]);
  const auto words =
      philox4x32({0xc90fdaa2, 0x2168c234, 8, 0x80000001}, {0xa4093822, 0x299f31d0});  // a quarter
  for (std::uint32_t j = 0; j < 4; ++j) EXPECT_EQ(random_poisson(kSeed, 8, kUnit + j), poisson_of(words[j]));
}

TEST(Random, PoissonThresholdsAreTheExactProbabilities) {
  constexpr double kStep = 0x1p-32;
  long double probability = std::exp(-1.0L);
  for (std::uint32_t k = 0; k <= std::size(kPoisson); ++k) {
    const double below = k == 0 ? 0.0 : static_cast<double>(kPoisson[k - 1]);
    const double above = k == std::size(kPoisson) ? 0x1p32 : static_cast<double>(kPoisson[k]);
    EXPECT_NEAR((above - below) * kStep, static_cast<double>(probability), kStep) << k;
    probability /= k + 1;
  }
  EXPECT_EQ(poisson_of(0), 0u);
  EXPECT_EQ(poisson_of(kPoisson[0] - 1), 0u);
  EXPECT_EQ(poisson_of(kPoisson[0]), 1u);
  EXPECT_EQ(poisson_of(0xffffffff), 12u);
}

// Rows from anywhere, rows with a gap, groups of rows, hashes:
// the straight and the scattered way and every change between.
std::vector<std::uint64_t> units_of(const std::string& kind, std::size_t n) {
  std::vector<std::uint64_t> units(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == "rows") units[i] = i;
    if (kind == "rows from 4") units[i] = i + 4;
    if (kind == "rows from 0xfffffff7") units[i] = i + 0xfffffff7;
    if (kind == "rows with gaps") units[i] = i + (i > n / 2 ? 4 : 0) + (i > n / 3 ? 64 : 0);
    if (kind == "groups") units[i] = hash_name(std::to_string(i / 7));
    if (kind == "hashes") units[i] = hash_name(std::to_string(i));
    if (kind == "backwards") units[i] = n - i;
    if (kind == "one wrong") units[i] = i == n - 3 ? 77 : i;
  }
  return units;
}

TEST(Random, FillsHaveTheNumbersOfTheCallsOnEveryTarget) {
  constexpr std::uint64_t kSeed = 0xfedcba9876543210;
  for (const char* kind : {"rows", "rows from 4", "rows from 0xfffffff7", "rows with gaps", "groups",
                           "hashes", "backwards", "one wrong"}) {
    for (const std::size_t n : {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 64, 100, 600, 1024, 1100}) {
      const auto units = units_of(kind, n);
      const std::uint32_t r = n % 2 == 0 ? static_cast<std::uint32_t>(n) : 0xffffffff;
      each_target([&] {
        std::vector<double> uniform(n);
        std::vector<std::uint64_t> bits(n);
        std::vector<std::uint32_t> poisson(n);
        fill_uniform(kSeed, Purpose::null_labels, r, units, uniform);
        fill_bits(kSeed, Purpose::demo, r, units, bits);
        fill_poisson(kSeed, r, units, poisson);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(uniform[i], random_uniform(kSeed, Purpose::null_labels, r, units[i]))
              << kind << ' ' << n << ' ' << i;
          ASSERT_EQ(bits[i], random_bits(kSeed, Purpose::demo, r, units[i])) << kind << ' ' << n << ' ' << i;
          ASSERT_EQ(poisson[i], random_poisson(kSeed, r, units[i])) << kind << ' ' << n << ' ' << i;
        }
      });
    }
  }
  std::vector<std::uint64_t> two(2);
  std::vector<std::uint32_t> out(3);
  EXPECT_THROW(fill_poisson(0, 0, two, out), std::invalid_argument);
}

// Every target must take the branch for the rare large weights: enough draws that all of 0 to 8 occur.
TEST(Random, RareWeightsOnEveryTarget) {
  std::vector<std::uint64_t> units(300000);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = i;
  std::vector<std::uint32_t> want(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) want[i] = random_poisson(3, 5, units[i]);
  ASSERT_GE(*std::max_element(want.begin(), want.end()), 8u);
  each_target([&] {
    std::vector<std::uint32_t> got(units.size());
    fill_poisson(3, 5, units, got);
    ASSERT_EQ(got, want);
    auto backwards = units;
    std::reverse(backwards.begin(), backwards.end());
    fill_poisson(3, 5, backwards, got);
    ASSERT_TRUE(std::equal(want.rbegin(), want.rend(), got.begin()));
  });
}

double chi_square(const std::vector<double>& seen, const std::vector<double>& expected) {
  double sum = 0.0;
  for (std::size_t i = 0; i < seen.size(); ++i)
    sum += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
  return sum;
}

// Chi-square bounds below are 99.9% points; the seed is fixed, so the outcome never changes.
TEST(Random, PoissonHasItsDistribution) {
  constexpr int kDraws = 1000000;
  constexpr double kBound = 24.32;  // 7 degrees of freedom
  std::vector<double> expected(8);
  double p = std::exp(-1.0);
  double rest = 1.0;
  for (std::size_t k = 0; k < 7; rest -= p, p /= static_cast<double>(++k)) expected[k] = kDraws * p;
  expected[7] = kDraws * rest;
  // Down the units of one replicate, and along the replicates of one unit.
  std::vector<double> down(8);
  std::vector<double> along(8);
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    ++down[std::min(random_poisson(11, 17, i), 7u)];
    ++along[std::min(random_poisson(11, i, 17), 7u)];
  }
  EXPECT_LT(chi_square(down, expected), kBound);
  EXPECT_LT(chi_square(along, expected), kBound);
}

TEST(Random, UniformHasItsDistribution) {
  constexpr int kDraws = 200000;
  constexpr double kBound = 148.2;  // 99 degrees of freedom
  std::vector<double> seen(100);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = random_uniform(12, Purpose::sample, 0, i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ASSERT_EQ(std::ldexp(u, 53), std::floor(std::ldexp(u, 53)));
    ++seen[static_cast<std::size_t>(u * 100.0)];
  }
  EXPECT_LT(chi_square(seen, std::vector<double>(100, kDraws / 100.0)), kBound);
}

// Neighbouring units, replicates, seeds and purposes are independent:
// the joint table of two weights, cut at 2.
TEST(Random, NeighboursAreIndependent) {
  constexpr int kDraws = 200000;
  constexpr double kBound = 26.12;  // 8 degrees of freedom
  const std::array<double, 3> p = {std::exp(-1.0), std::exp(-1.0), 1.0 - 2.0 * std::exp(-1.0)};
  std::vector<double> expected;
  for (const double a : p) {
    for (const double b : p) expected.push_back(kDraws * a * b);
  }
  const auto joint = [&](auto first, auto second) {
    std::vector<double> seen(9);
    for (std::uint32_t i = 0; i < kDraws; ++i) ++seen[std::min(first(i), 2u) * 3 + std::min(second(i), 2u)];
    return chi_square(seen, expected);
  };
  const auto base = [](std::uint32_t i) { return random_poisson(13, 4, i); };
  EXPECT_LT(joint(base, [](std::uint32_t i) { return random_poisson(13, 5, i); }), kBound);
  EXPECT_LT(joint(base, [](std::uint32_t i) { return random_poisson(13, 8, i); }), kBound);
  EXPECT_LT(joint(base, [](std::uint32_t i) { return random_poisson(13, 4, i + 1); }), kBound);
  EXPECT_LT(joint(base, [](std::uint32_t i) { return random_poisson(14, 4, i); }), kBound);
}

TEST(Random, PurposesAndSeedsDiffer) {
  std::unordered_set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const Purpose p : {Purpose::bootstrap, Purpose::null_labels, Purpose::null_groups, Purpose::split,
                          Purpose::sample, Purpose::demo, Purpose::null_model, Purpose::null_votes}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      for (std::uint32_t r = 0; r < 20; ++r) {
        for (std::uint64_t unit = 0; unit < 50; ++unit, ++drawn) seen.insert(random_bits(seed, p, r, unit));
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn);
}

TEST(Random, HashName) {
  EXPECT_EQ(hash_name("patient-1"), hash_name(std::string("patient-") + "1"));
  std::unordered_set<std::uint64_t> seen;
  for (int i = 0; i < 100000; ++i) seen.insert(hash_name(std::to_string(i)));
  EXPECT_EQ(seen.size(), 100000u);
  // FNV-1a of "a" is af63dc4c8601ec8c; then MurmurHash3's fmix64. Pinned: group streams depend on it.
  std::uint64_t h = 0xaf63dc4c8601ec8c;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccd;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53;
  h ^= h >> 33;
  EXPECT_EQ(hash_name("a"), h);
}

// Sample moments within 4.5 standard errors of the true ones.
constexpr double kErrors = 4.5;

TEST(RandomStream, NormalMoments) {
  constexpr int kDraws = 200000;
  RandomStream s(16, Purpose::demo);
  double m1 = 0.0;
  double m2 = 0.0;
  double m4 = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = s.normal();
    m1 += x;
    m2 += x * x;
    m4 += x * x * x * x;
  }
  EXPECT_NEAR(m1 / kDraws, 0.0, kErrors * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(m2 / kDraws, 1.0, kErrors * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(m4 / kDraws, 3.0, kErrors * std::sqrt(96.0 / kDraws));
}

TEST(RandomStream, GammaMoments) {
  constexpr int kDraws = 100000;
  for (const double shape : {0.2, 0.9, 1.0, 2.5, 40.0}) {
    RandomStream s(17, Purpose::demo, 3);
    double m1 = 0.0;
    double m2 = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const double x = s.gamma(shape);
      ASSERT_GE(x, 0.0);
      m1 += x;
      m2 += (x - shape) * (x - shape);
    }
    EXPECT_NEAR(m1 / kDraws, shape, kErrors * std::sqrt(shape / kDraws)) << shape;
    EXPECT_NEAR(m2 / kDraws, shape, kErrors * std::sqrt((2.0 * shape * shape + 6.0 * shape) / kDraws))
        << shape;
  }
  RandomStream s(17, Purpose::demo);
  EXPECT_THROW(static_cast<void>(s.gamma(0.0)), std::invalid_argument);
}

TEST(RandomStream, BelowIsUniform) {
  constexpr int kDraws = 70000;
  constexpr double kBound = 22.46;  // 6 degrees of freedom
  RandomStream s(18, Purpose::split);
  std::vector<double> seen(7);
  for (int i = 0; i < kDraws; ++i) ++seen.at(s.below(7));
  EXPECT_LT(chi_square(seen, std::vector<double>(7, kDraws / 7.0)), kBound);
  EXPECT_EQ(s.below(1), 0u);
  EXPECT_THROW(static_cast<void>(s.below(0)), std::invalid_argument);
  constexpr std::uint64_t kHuge = (std::uint64_t{1} << 63) + 1;  // half of the raw draws are rejected
  for (int i = 0; i < 1000; ++i) ASSERT_LT(s.below(kHuge), kHuge);
}

TEST(RandomStream, SameArgumentsSameStream) {
  RandomStream a(19, Purpose::demo, 1);
  RandomStream b(19, Purpose::demo, 1);
  RandomStream c(19, Purpose::demo, 2);
  bool differs = false;
  for (int i = 0; i < 10; ++i) {
    const double x = a.normal();
    EXPECT_EQ(x, b.normal());
    differs = differs || x != c.normal();
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace plumb
