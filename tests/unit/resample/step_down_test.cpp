// Step-down p-values against a literal version of Romano and Wolf's algorithm, and their laws.
#include "plumb/resample/step_down.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

std::vector<DrawnDifference> simulated(std::uint64_t seed, int tests, int draws, double shift) {
  RandomStream rng(seed, Purpose::demo);
  std::vector<DrawnDifference> out(tests);
  for (int j = 0; j < tests; ++j) {
    out[j].value = rng.normal() + shift * j;
    for (int r = 0; r < draws; ++r) out[j].draws.push_back(out[j].value + rng.normal());
  }
  return out;
}

/// The definition: the k-th strongest test against the maximum over itself and all weaker ones, recomputed
/// each time.
std::vector<double> naive(const std::vector<DrawnDifference>& tests) {
  const std::size_t n = tests.size(), draws = tests[0].draws.size();
  std::vector<double> mean(n), sd(n), t(n);
  for (std::size_t j = 0; j < n; ++j) {
    mean[j] = std::accumulate(tests[j].draws.begin(), tests[j].draws.end(), 0.0) / draws;
    for (const double d : tests[j].draws) sd[j] += (d - mean[j]) * (d - mean[j]);
    sd[j] = std::sqrt(sd[j] / (draws - 1));
    t[j] = std::abs(tests[j].value) / sd[j];
  }
  std::vector<double> p(n);
  for (std::size_t j = 0; j < n; ++j) {
    int above = 0;
    for (std::size_t r = 0; r < draws; ++r) {
      double largest = 0;
      for (std::size_t l = 0; l < n; ++l)
        if (t[l] <= t[j]) largest = std::max(largest, std::abs(tests[l].draws[r] - mean[l]) / sd[l]);
      above += largest >= t[j];
    }
    p[j] = (1.0 + above) / (1.0 + draws);
  }
  std::vector<double> out(n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t l = 0; l < n; ++l)
      if (t[l] >= t[j]) out[j] = std::max(out[j], p[l]);
  return out;
}

TEST(StepDown, IsTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto tests = simulated(seed, 6, 99, 0.7);
    const auto got = step_down_p_values(tests), want = naive(tests);
    for (std::size_t j = 0; j < want.size(); ++j)
      EXPECT_NEAR(got[j], want[j], 1e-12) << "seed " << seed << ", test " << j;
  }
}

TEST(StepDown, CopiesOfOneTestCostNothing) {
  const auto one = simulated(3, 1, 199, 0);
  const std::vector<DrawnDifference> five(5, one[0]);
  const double alone = step_down_p_values(one)[0];
  for (const double p : step_down_p_values(five)) EXPECT_EQ(p, alone);
}

TEST(StepDown, KeepsTheChanceOfAnyFalseClaim) {
  int claims = 0;
  constexpr int kSets = 400;
  for (int s = 0; s < kSets; ++s) {
    const auto p = step_down_p_values(simulated(1000 + s, 10, 199, 0));
    claims += *std::min_element(p.begin(), p.end()) <= 0.05;
  }
  EXPECT_NEAR(claims / double(kSets), 0.05, 4 * std::sqrt(0.05 * 0.95 / kSets))
      << "ten independent true nulls";
}

TEST(StepDown, Edges) {
  EXPECT_TRUE(step_down_p_values({}).empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<DrawnDifference> still{{0.0, {0, 0, 0}}, {1.0, {nan, nan, nan}}, {1.0, {}}};
  for (const double p : step_down_p_values(still)) EXPECT_EQ(p, 1);
}

}  // namespace
}  // namespace plumb
