#include "plumb/simulate/streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

TEST(Streams, UsesAndSeedsDoNotShareNumbers) {
  EXPECT_NE(derive_seed(1, "train"), derive_seed(1, "test"));
  EXPECT_NE(derive_seed(1, "train"), derive_seed(2, "train"));
  EXPECT_EQ(derive_seed(1, "train"), derive_seed(1, "train"));
  RandomStream a = item_stream(3, "faces", 5), b = item_stream(3, "faces", 6);
  EXPECT_NE(a.uniform(), b.uniform());
}

// Law: mean a/(a+b) and variance ab/((a+b)^2 (a+b+1)), for the shapes of Mimori's three modes
// and ordinary ones.
TEST(Streams, BetaHasItsMoments) {
  for (const auto& [a, b] : {std::pair{0.01, 0.04}, {0.03, 0.02}, {4.0, 16.0}, {12.0, 8.0}, {0.7, 2.5}}) {
    Sample sample;
    RandomStream random = item_stream(11, "beta", static_cast<std::int64_t>(1000 * a));
    for (int i = 0; i < 20000; ++i) {
      const double q = draw_beta(a, b, random);
      ASSERT_TRUE(q >= 0 && q <= 1) << a << " " << b << " " << q;
      sample.add(q);
    }
    const double sum = a + b, variance = a * b / (sum * sum * (sum + 1));
    EXPECT_NEAR(sample.mean(), a / sum, kSigmas * std::sqrt(variance / 20000)) << a << " " << b;
    // The fourth moment is below the variance, on [0, 1]: the standard error of the variance is below
    // sqrt(variance / n).
    EXPECT_NEAR(sample.variance(), variance, kSigmas * std::sqrt(variance / 20000)) << a << " " << b;
  }
}

TEST(Streams, NoiseIsCentredAndAsWideAsSaid) {
  std::vector<std::int16_t> noise(100001);  // odd: the last one is half a word
  fill_noise(7, "noise", 0, noise);
  Sample sample;
  for (const std::int16_t x : noise) sample.add(x);
  EXPECT_NEAR(sample.mean(), 0, kSigmas * kNoiseSd / std::sqrt(100001));
  EXPECT_NEAR(std::sqrt(sample.variance()), kNoiseSd, kSigmas * kNoiseSd / std::sqrt(2 * 100001));
}

TEST(Streams, NoiseOfFewerValuesBeginsThatOfMore) {
  std::vector<std::int16_t> few(11), many(50);
  fill_noise(7, "noise", 3, few);
  fill_noise(7, "noise", 3, many);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

}  // namespace
}  // namespace plumb
