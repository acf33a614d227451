#include "plumb/simulate/digits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

constexpr std::size_t kPixels = 784;

std::vector<std::uint8_t> digit(std::uint64_t seed, std::int64_t item, int numeral) {
  std::vector<std::uint8_t> out(kPixels);
  draw_digit(seed, item, numeral, out);
  return out;
}

TEST(Digits, Fingerprints) {
  EXPECT_EQ(fingerprint(digit(0, 0, 0)), 10836387243689999825u);
  EXPECT_EQ(fingerprint(digit(0, 1, 8)), 5119238350220417941u);
  EXPECT_EQ(fingerprint(digit(5, 49999, 4)), 12318188104392358467u);
}

TEST(Digits, DependOnSeedItemAndNumeral) {
  const auto base = digit(3, 7, 5);
  EXPECT_EQ(base, digit(3, 7, 5));
  EXPECT_NE(base, digit(4, 7, 5));
  EXPECT_NE(base, digit(3, 8, 5));
  EXPECT_NE(base, digit(3, 7, 6));
}

TEST(Digits, NumeralsAreEquallyFrequent) {
  std::array<Outcomes, 10> seen;
  for (std::int64_t i = 0; i < 20000; ++i) {
    const int numeral = digit_numeral(1, i);
    for (int k = 0; k < 10; ++k) seen[static_cast<std::size_t>(k)].add(0.1, numeral == k ? 1 : 0);
  }
  for (const Outcomes& o : seen) EXPECT_LT(std::abs(o.z()), kSigmas);
}

// Law: the nearest of the mean images tells most numerals apart, and not all.
TEST(Digits, NumeralsAreLearnableButNotTrivial) {
  std::array<std::vector<double>, 10> mean;
  for (auto& m : mean) m.assign(kPixels, 0);
  constexpr int kEach = 60;
  for (int numeral = 0; numeral < 10; ++numeral) {
    for (int i = 0; i < kEach; ++i) {
      const auto d = digit(2, 10 * i + numeral, numeral);
      for (std::size_t k = 0; k < kPixels; ++k)
        mean[static_cast<std::size_t>(numeral)][k] += d[k] / double{kEach};
    }
  }
  int right = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto d = digit(3, i, i % 10);
    double best = 1e300;
    int nearest = 0;
    for (int numeral = 0; numeral < 10; ++numeral) {
      double far = 0;
      for (std::size_t k = 0; k < kPixels; ++k) {
        const double gap = d[k] - mean[static_cast<std::size_t>(numeral)][k];
        far += gap * gap;
      }
      if (far < best) {
        best = far;
        nearest = numeral;
      }
    }
    right += nearest == i % 10 ? 1 : 0;
  }
  EXPECT_GT(right, 600);
  EXPECT_LT(right, 990);
}

std::vector<std::uint8_t> all_numerals(std::size_t n) {
  std::vector<std::uint8_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(i % 10);
  return out;
}

// Law: Mimori eq. 52. Means pair up as (2, 6), (3, 7), (4, 8), (5, 9); the Beta's variance is m (1 - m) /
// (lambda^-1 + 1) in the epistemic mode and m (1 - m) / (lambda + 1) in the aleatoric one.
TEST(ThreeModes, ProbabilitiesHaveTheirMeanAndSpread) {
  const ThreeModeLabels l = label_three_modes(all_numerals(50000), {.votes = 2, .seed = 1});
  for (std::size_t numeral = 0; numeral < 10; ++numeral) {
    Sample q;
    for (std::size_t i = numeral; i < l.truth.size(); i += 10) q.add(l.truth[i]);
    const double m = annotation_mean(static_cast<int>(numeral));
    const double variance = numeral < 2 ? 0 : m * (1 - m) / ((numeral < 6 ? 1 / 20.0 : 20.0) + 1);
    EXPECT_NEAR(q.mean(), m, kSigmas * std::sqrt(variance / q.items())) << numeral;
    EXPECT_NEAR(q.variance(), variance, kSigmas * std::sqrt(variance / q.items())) << numeral;
  }
  EXPECT_EQ(annotation_mean(3), annotation_mean(7));
  EXPECT_EQ(l.expected[17], 0.4);
}

TEST(ThreeModes, VotesFollowTheirProbability) {
  const ThreeModeLabels l = label_three_modes(all_numerals(20000), {.votes = 10, .seed = 2});
  Outcomes votes, labels;
  for (std::size_t i = 0; i < l.truth.size(); ++i) {
    ASSERT_EQ(l.counts[2 * i] + l.counts[2 * i + 1], 10);
    votes.add(l.truth[i], static_cast<double>(l.counts[2 * i + 1]), 10);
    labels.add(l.truth[i], l.labels[i]);
    ASSERT_TRUE(i % 10 != 0 || l.counts[2 * i + 1] == 0);
    ASSERT_TRUE(i % 10 != 1 || l.counts[2 * i] == 0);
  }
  EXPECT_LT(std::abs(votes.z()), kSigmas);
  EXPECT_LT(std::abs(labels.z()), kSigmas);
}

// Two annotators of an image disagree with probability 2 E[q (1 - q)]: seldom in the epistemic mode, often in
// the aleatoric one.
TEST(ThreeModes, ModesDifferInDisagreement) {
  const ThreeModeLabels l = label_three_modes(all_numerals(40000), {.votes = 2, .seed = 3});
  for (std::size_t numeral = 2; numeral < 10; ++numeral) {
    Outcomes split;
    const double m = annotation_mean(static_cast<int>(numeral)), sum = numeral < 6 ? 1 / 20.0 : 20.0;
    const double disagree = 2 * m * (1 - m) * sum / (sum + 1);
    for (std::size_t i = numeral; i < l.truth.size(); i += 10)
      split.add(disagree, l.counts[2 * i] == 1 ? 1 : 0);
    EXPECT_LT(std::abs(split.z()), kSigmas) << numeral;
  }
}

TEST(ThreeModes, ItemDependsOnSeedAndNumberAlone) {
  const auto numerals = all_numerals(100);
  const ThreeModeLabels many = label_three_modes(numerals, {.votes = 5, .seed = 4});
  const ThreeModeLabels few = label_three_modes(std::span(numerals).first(30), {.votes = 1, .seed = 4});
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(few.truth[i], many.truth[i]);
    EXPECT_EQ(few.labels[i], many.labels[i]) << "more votes begin with the fewer";
  }
  EXPECT_NE(many.truth, label_three_modes(numerals, {.votes = 5, .seed = 5}).truth);
}

TEST(ThreeModes, BadArguments) {
  const std::vector<std::uint8_t> ten{10}, two{2};
  EXPECT_THROW(static_cast<void>(label_three_modes(ten, {})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(label_three_modes(two, {.votes = 0})), std::invalid_argument);
  EXPECT_TRUE(label_three_modes({}, {}).truth.empty());
  std::vector<std::uint8_t> room(kPixels);
  EXPECT_THROW(draw_digit(0, 0, 10, room), std::invalid_argument);
  room.pop_back();
  EXPECT_THROW(draw_digit(0, 0, 1, room), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
