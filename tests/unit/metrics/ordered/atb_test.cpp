#include "plumb/metrics/ordered/atb.hpp"

#include <gtest/gtest.h>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// Fewer than a thousand terms, each rounded a few times.
constexpr double kTolerance = 1e-14;

// Reference: the definition, with the integrand at the middle of each stretch between distinct p.
double naive_atb(const Column& c) {
  std::vector<double> cuts = distinct_p(c);
  cuts.insert(cuts.begin(), 0.0);
  cuts.push_back(1.0);
  long double total = 0, integral = 0;
  for (std::size_t i = 0; i < c.size(); ++i) total += c.mass(i);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const double t = cuts[k] + (cuts[k + 1] - cuts[k]) / 2;
    long double below = 0, above = 0;
    for (std::size_t i = 0; i < c.size(); ++i)
      (c.p[i] < t ? below : above) += c.gain(i) - static_cast<long double>(c.mass(i)) * c.p[i];
    integral += (cuts[k + 1] - cuts[k]) * (below * below + above * above);
  }
  return static_cast<double>(integral / (total * total));
}

TEST(Atb, IsTheDefinition) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    EXPECT_NEAR(*atb(c.view()).value, naive_atb(c), kTolerance) << "seed " << o.seed;
  }
}

TEST(Atb, Edges) {
  // One forecast of 1/2 that comes: residual 1/2 on one side of every threshold.
  const Column one{.p = {0.5}, .hits = {1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*atb(one.view()).value, 0.25);
  const Column wrong{.p = {0, 1}, .hits = {1, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*atb(wrong.view()).value, 0.5);  // 1/2 below and -1/2 above, at every threshold
  const Column sure{.p = {0, 1}, .hits = {0, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*atb(sure.view()).value, 0.0);
}

// At the truth its mean is mean(q (1 - q)) / N: variances of independent residuals add, wherever the cut is.
TEST(Atb, MeanAtTheTruth) {
  constexpr int kSets = 4000;
  constexpr std::size_t kItems = 20;
  std::mt19937_64 rng(5);
  const auto uniform = [&] { return static_cast<double>(rng() >> 11) * 0x1p-53; };
  Column c;
  double variance = 0;
  for (std::size_t i = 0; i < kItems; ++i) {
    c.p.push_back((static_cast<double>(i) + 0.5) / kItems);
    variance += c.p.back() * (1 - c.p.back());
  }
  c.hits.resize(kItems);
  double sum = 0, squares = 0;
  for (int s = 0; s < kSets; ++s) {
    for (std::size_t i = 0; i < kItems; ++i) c.hits[i] = uniform() < c.p[i] ? 1 : 0;
    const double x = *atb(c.view()).value;
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kSets, error = std::sqrt((squares / kSets - mean * mean) / kSets);
  EXPECT_NEAR(mean, variance / (kItems * kItems), 4 * error);
}

}  // namespace
}  // namespace plumb::test
