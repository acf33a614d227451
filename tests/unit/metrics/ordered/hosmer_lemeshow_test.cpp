#include "plumb/metrics/ordered/hosmer_lemeshow.hpp"

#include <gtest/gtest.h>

#include "plumb/metrics/ordered/equal_mass.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

ReliabilityTable deciles(const Column& c) { return equal_mass_table(c.view(), kHosmerLemeshowBins); }

// Reference for distinct p: sort, cut into ten runs of equal length, compare counts of both outcomes.
double naive_statistic(const Column& c) {
  const std::size_t n = c.size();
  double sum = 0;
  for (std::size_t d = 0; d < 10; ++d) {
    double hits = 0, expected = 0, count = 0;
    for (std::size_t i = d * n / 10; i < (d + 1) * n / 10; ++i) {
      hits += c.hits[i];
      expected += c.p[i];
      ++count;
    }
    sum += (hits - expected) * (hits - expected) / expected;
    sum += (hits - expected) * (hits - expected) / (count - expected);
  }
  return sum;
}

TEST(HosmerLemeshow, IsTheTableOfTheTextbooks) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Column c = random_column({.n = 500, .seed = seed});
    EXPECT_NEAR(*hosmer_lemeshow(deciles(c)).value, naive_statistic(c), 1e-10) << "seed " << seed;
  }
}

TEST(HosmerLemeshow, ACommonFactorOfWeightsIsNoFurtherVote) {
  Column c = random_column({.n = 500, .seed = 4});
  const double plain = *hosmer_lemeshow(deciles(c)).value;
  c.weight.assign(c.size(), 3.0);
  EXPECT_NEAR(*hosmer_lemeshow(deciles(c)).value, plain, 1e-10);
}

// Ten degrees of freedom: nothing was fitted. 18.307 is the 95% point.
TEST(HosmerLemeshow, Tail) {
  Column c;
  for (int i = 0; i < 1000; ++i) {
    c.p.push_back(0.3 + 0.4 * i / 1000);
    c.hits.push_back(i % 2);
  }
  const double x = *hosmer_lemeshow(deciles(c)).value;
  double tail = 0, term = std::exp(-x / 2);  // of an even number of degrees: a Poisson sum
  for (int k = 0; k < 5; ++k) tail += term, term *= x / 2 / (k + 1);
  EXPECT_NEAR(*hosmer_lemeshow_p(deciles(c)), tail, 1e-12);
}

TEST(HosmerLemeshow, Edges) {
  EXPECT_FALSE(hosmer_lemeshow(deciles({})));
  const Column wrong{.p = {0, 1}, .hits = {1, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_FALSE(hosmer_lemeshow(deciles(wrong)));
  const Column sure{.p = {0, 1}, .hits = {0, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*hosmer_lemeshow(deciles(sure)).value, 0);
  EXPECT_FALSE(hosmer_lemeshow_p(deciles(random_column({.n = 60, .seed = 5}))));  // too few expected
}

}  // namespace
}  // namespace plumb::test
