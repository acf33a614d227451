#include "plumb/numeric/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace plumb {
namespace {

using Shape = std::vector<std::int64_t>;

/// Every voxel against every seed.
std::vector<double> naive(const std::vector<std::uint8_t>& seeds, const Shape& shape,
                          const std::vector<double>& spacing) {
  const auto place = [&](std::size_t i) {
    std::vector<double> at;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      at.push_back(spacing[k] * static_cast<double>(i % shape[k]));
      i /= shape[k];
    }
    return at;
  };
  std::vector<double> out(seeds.size(), INFINITY);
  for (std::size_t i = 0; i < seeds.size(); ++i)
    for (std::size_t j = 0; j < seeds.size(); ++j) {
      if (seeds[j] == 0) continue;
      const auto a = place(i), b = place(j);
      double sum = 0;
      for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
      out[i] = std::min(out[i], sum);
    }
  return out;
}

TEST(Distance, AgreesWithEveryPair) {
  std::mt19937 random(3);
  for (const auto& [shape, spacing] :
       {std::pair(Shape{11}, std::vector<double>{0.7}), std::pair(Shape{7, 9}, std::vector<double>{1, 2.5}),
        std::pair(Shape{6, 5, 8}, std::vector<double>{0.9, 0.9, 3}),
        std::pair(Shape{1, 5, 4, 3}, std::vector<double>{1, 1, 1, 1})})
    for (const double share : {0.02, 0.2, 0.9}) {
      std::size_t n = 1;
      for (const std::int64_t k : shape) n *= k;
      std::vector<std::uint8_t> seeds(n);
      for (std::uint8_t& s : seeds) s = std::uniform_real_distribution<>()(random) < share;
      const std::vector<double> expected = naive(seeds, shape, spacing);
      const std::vector<double> got = squared_distances(seeds, shape, spacing, 1);
      EXPECT_EQ(got, squared_distances(seeds, shape, spacing, 3));
      for (std::size_t i = 0; i < n; ++i) {
        if (std::isinf(expected[i])) {
          EXPECT_EQ(got[i], expected[i]);
        } else {
          EXPECT_NEAR(got[i], expected[i], 1e-12 * (1 + expected[i])) << i;  // of a few roundings
        }
      }
    }
}

TEST(Distance, NoSeedIsFarAndShapesMustFit) {
  const std::vector<std::uint8_t> none(6);
  for (const double d : squared_distances(none, Shape{2, 3}, std::vector<double>{1, 1}, 1))
    EXPECT_TRUE(std::isinf(d));
  EXPECT_THROW((void)squared_distances(none, Shape{4}, std::vector<double>{1}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
