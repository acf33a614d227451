#include "plumb/metrics/ordered/isotonic.hpp"

#include <gtest/gtest.h>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

constexpr double kTolerance = 1e-12;  // of means of a few hundred weights

// Reference: the min-max formula, max over starts at or before p of min over ends at or after p of the mean.
double naive_fit(const Column& c, double p) {
  double best = -1;
  for (const double from : distinct_p(c)) {
    if (from > p) continue;
    double least = 2;
    for (const double to : distinct_p(c)) {
      if (to < p) continue;
      long double hits = 0, mass = 0;
      for (std::size_t i = 0; i < c.size(); ++i)
        if (c.p[i] >= from && c.p[i] <= to) hits += c.gain(i), mass += c.mass(i);
      least = std::min(least, static_cast<double>(hits / mass));
    }
    best = std::max(best, least);
  }
  return best;
}

TEST(Isotonic, IsTheMinMaxFormula) {
  for (ColumnOptions o : kinds()) {
    o.n = std::min<std::size_t>(o.n, 60);
    const Column c = random_column(o);
    const std::vector<IsotonicBlock> blocks = isotonic_blocks(c.view());
    for (const double p : distinct_p(c)) {
      const auto at = std::find_if(blocks.begin(), blocks.end(), [p](const auto& b) { return p <= b.high; });
      ASSERT_NE(at, blocks.end());
      EXPECT_GE(p, at->low);
      EXPECT_NEAR(at->mean(), naive_fit(c, p), kTolerance) << "seed " << o.seed << " p " << p;
    }
    for (std::size_t b = 1; b < blocks.size(); ++b) {
      EXPECT_LT(blocks[b - 1].mean(), blocks[b].mean());
      EXPECT_LT(blocks[b - 1].high, blocks[b].low);
    }
  }
}

TEST(Isotonic, ValuesBetweenBlocksAreLinear) {
  const Column c{.p = {0.2, 0.4, 0.8}, .hits = {0, 0, 1}, .trials = {}, .weight = {}, .times = {}};
  const auto blocks = isotonic_blocks(c.view());
  const std::vector<double> at{0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 0.9};
  const std::vector<double> want{0, 0, 0, 0, 0.25, 1, 1};
  const std::vector<double> got = isotonic_at(blocks, at);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-15) << at[i];
  EXPECT_TRUE(isotonic_at({}, at).empty());
}

TEST(Isotonic, Edges) {
  EXPECT_TRUE(isotonic_blocks({}).empty());
  const Column falling{.p = {0.1, 0.2, 0.9}, .hits = {1, 0, 1}, .trials = {}, .weight = {}, .times = {}};
  const auto blocks = isotonic_blocks(falling.view());
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].mean(), 0.5);
  EXPECT_EQ(blocks[0].high, 0.2);
  EXPECT_EQ(blocks[1].mean(), 1);
}

}  // namespace
}  // namespace plumb::test
