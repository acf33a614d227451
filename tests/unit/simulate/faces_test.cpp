#include "plumb/simulate/faces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/simulate/scenarios.hpp"
#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

std::vector<std::uint8_t> face(std::uint64_t seed, std::int64_t item, int age, int size) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(3 * size * size));
  draw_face(seed, item, age, size, out);
  return out;
}

// Golden: the same bits on every machine and in every version.
TEST(Faces, Fingerprints) {
  EXPECT_EQ(fingerprint(face(0, 0, 0, 32)), 2949948080349314007u);
  EXPECT_EQ(fingerprint(face(0, 1, 30, 32)), 10076761167328375343u);
  EXPECT_EQ(fingerprint(face(1, 2, 75, 64)), 15537497222088992647u);
  EXPECT_EQ(fingerprint(face(0xffffffffffffffff, 16640, 116, 128)), 9406650699082950979u);
}

TEST(Faces, DependOnSeedItemAndAge) {
  const auto base = face(3, 7, 40, 24);
  EXPECT_EQ(base, face(3, 7, 40, 24));
  EXPECT_NE(base, face(4, 7, 40, 24));
  EXPECT_NE(base, face(3, 8, 40, 24));
  EXPECT_NE(base, face(3, 7, 41, 24));
}

// A small image is the large one seen from afar: the mean of 4 x 4 pixels of it, but for noise
// and thin strokes.
TEST(Faces, SizesShowTheSameDrawing) {
  constexpr double kLevels = 8;  // of 255, in the mean: the noise alone gives about 4
  Sample gap;
  for (std::int64_t item = 0; item < 10; ++item) {
    const auto large = face(5, item, 8 * static_cast<int>(item), 128),
               small = face(5, item, 8 * static_cast<int>(item), 32);
    for (std::size_t i = 0; i < small.size(); ++i) {
      const std::size_t plane = i / 1024, row = i % 1024 / 32, column = i % 32;
      double sum = 0;
      for (std::size_t k = 0; k < 16; ++k)
        sum += large[plane * 16384 + (4 * row + k / 4) * 128 + 4 * column + k % 4];
      gap.add(std::abs(sum / 16 - small[i]));
    }
  }
  EXPECT_LT(gap.mean(), kLevels);
}

// Ridge regression on the pixels of the given faces; solved by Gauss-Seidel on the normal equations, which
// are positive definite.
std::vector<double> fit_age(const std::vector<std::vector<double>>& x, const std::vector<double>& y,
                            double ridge) {
  const std::size_t d = x[0].size();
  std::vector<double> gram(d * d), right(d), w(d);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t a = 0; a < d; ++a) {
      right[a] += x[i][a] * y[i];
      for (std::size_t b = 0; b < d; ++b) gram[a * d + b] += x[i][a] * x[i][b];
    }
  }
  for (std::size_t a = 0; a < d; ++a) gram[a * d + a] += ridge;
  for (int sweep = 0; sweep < 200; ++sweep) {
    for (std::size_t a = 0; a < d; ++a) {
      double rest = right[a];
      for (std::size_t b = 0; b < d; ++b) rest -= b == a ? 0.0 : gram[a * d + b] * w[b];
      w[a] = rest / gram[a * d + a];
    }
  }
  return w;
}

std::vector<double> pixels(std::int64_t item, int age) {
  const auto bytes = face(9, item, age, 8);
  std::vector<double> x{1};
  for (const std::uint8_t b : bytes) x.push_back(b / 255.0 - 0.5);
  return x;
}

// Law: a linear model on tiny images finds some of the age and not nearly all. The rest needs networks.
TEST(Faces, AgeIsLearnableButNotTrivial) {
  const RiskData people = simulate_risks({Scenario::linear, 1600, 9});
  constexpr std::size_t kTrain = 1200;
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < kTrain; ++i) {
    x.push_back(pixels(static_cast<std::int64_t>(i), people.age[i]));
    y.push_back(people.age[i]);
  }
  const std::vector<double> w = fit_age(x, y, 1);
  Sample ages;
  double squares = 0;
  for (std::size_t i = kTrain; i < people.age.size(); ++i) {
    const auto z = pixels(static_cast<std::int64_t>(i), people.age[i]);
    double guess = 0;
    for (std::size_t k = 0; k < z.size(); ++k) guess += w[k] * z[k];
    squares += (guess - people.age[i]) * (guess - people.age[i]);
    ages.add(people.age[i]);
  }
  const double explained = 1 - squares / (ages.items() * ages.variance());
  EXPECT_GT(explained, 0.3);
  EXPECT_LT(explained, 0.85);
}

TEST(Faces, BadArguments) {
  std::vector<std::uint8_t> room(3 * 32 * 32);
  EXPECT_THROW(draw_face(0, 0, 117, 32, room), InputError);
  EXPECT_THROW(draw_face(0, 0, -1, 32, room), InputError);
  EXPECT_THROW(draw_face(0, 0, 30, 7, room), InputError);
  EXPECT_THROW(draw_face(0, 0, 30, 129, room), InputError);
  EXPECT_THROW(draw_face(0, 0, 30, 16, room), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
