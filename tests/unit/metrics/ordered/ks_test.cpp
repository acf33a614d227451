#include "plumb/metrics/ordered/ks.hpp"

#include <gtest/gtest.h>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// p enters as a multiple of 2^-50, the reference takes it as it is and adds in long double.
constexpr double kTolerance = 1e-15;

// Reference: the definition, each threshold by itself.
double naive_ks(const Column& c) {
  long double total = 0;
  for (std::size_t i = 0; i < c.size(); ++i) total += c.mass(i);
  long double largest = 0;
  for (const double t : c.p) {
    long double sum = 0;
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c.p[i] <= t) sum += c.gain(i) - static_cast<long double>(c.mass(i)) * c.p[i];
    largest = std::max(largest, std::fabs(sum));
  }
  return static_cast<double>(largest / total);
}

TEST(Ks, IsTheDefinition) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    EXPECT_NEAR(*ks(c.view()).value, naive_ks(c), kTolerance) << "seed " << o.seed;
  }
}

TEST(Ks, RealHitsOfEitherSign) {
  for (const bool weighted : {false, true}) {
    Column c = random_column({.n = 300, .levels = 40, .most_trials = 4, .weighted = weighted, .seed = 21});
    c.whole_counts = false;
    std::mt19937_64 rng(22);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double expected = c.trials[i] * c.p[i];
      c.hits[i] = expected + (rng() % 2 == 0 ? 1.0 : -1.0) * (c.hits[i] - expected);
    }
    EXPECT_NEAR(*ks(c.view()).value, naive_ks(c), kTolerance) << weighted;
  }
}

TEST(Ks, Edges) {
  const Column sure{.p = {0, 1}, .hits = {0, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*ks(sure.view()).value, 0.0);
  const Column wrong{.p = {0, 1}, .hits = {1, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*ks(wrong.view()).value, 0.5);
  // Equal p together: taken one by one in this order the middle of the run would reach 0.5.
  const Column tied{.p = {0.5, 0.5}, .hits = {1, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*ks(tied.view()).value, 0.0);
}

}  // namespace
}  // namespace plumb::test
