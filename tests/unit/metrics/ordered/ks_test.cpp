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

// Reference: every interval of forecasts by itself.
double naive_kuiper(const Column& c) {
  long double total = 0, largest = 0;
  for (std::size_t i = 0; i < c.size(); ++i) total += c.mass(i);
  for (const double from : c.p)
    for (const double to : c.p) {
      long double sum = 0;
      for (std::size_t i = 0; i < c.size(); ++i)
        if (c.p[i] >= from && c.p[i] <= to) sum += c.gain(i) - static_cast<long double>(c.mass(i)) * c.p[i];
      largest = std::max(largest, std::fabs(sum));
    }
  return static_cast<double>(largest / total);
}

TEST(Kuiper, IsTheDefinition) {
  for (ColumnOptions o : kinds()) {
    o.n = std::min<std::size_t>(o.n, 80);
    for (const double power : {1.5, 1.0, 0.6}) {  // forecasts too high, right, too low
      o.power = power;
      const Column c = random_column(o);
      EXPECT_NEAR(*kuiper(c.view()).value, naive_kuiper(c), kTolerance) << "seed " << o.seed;
      EXPECT_GE(*kuiper(c.view()).value, *ks(c.view()).value);
      EXPECT_LE(*kuiper(c.view()).value, 2 * *ks(c.view()).value * (1 + 1e-15));
    }
  }
}

// Too low below 1/2 and too high above: the gaps cancel in the whole, not in its halves.
TEST(Kuiper, SeesGapsThatCancel) {
  const Column c{.p = {0.4, 0.6}, .hits = {1, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_DOUBLE_EQ(*kuiper(c.view()).value, 0.3);
}

TEST(Ks, RealHitsOfEitherSign) {
  for (const bool weighted : {false, true}) {
    Column c = random_column({.n = 100, .levels = 40, .most_trials = 4, .weighted = weighted, .seed = 21});
    c.whole_counts = false;
    std::mt19937_64 rng(22);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double expected = c.trials[i] * c.p[i];
      c.hits[i] = expected + (rng() % 2 == 0 ? 1.0 : -1.0) * (c.hits[i] - expected);
    }
    EXPECT_NEAR(*ks(c.view()).value, naive_ks(c), kTolerance) << weighted;
    EXPECT_NEAR(*kuiper(c.view()).value, naive_kuiper(c), kTolerance) << weighted;
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
