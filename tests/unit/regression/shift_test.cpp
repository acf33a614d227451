#include "plumb/regression/shift.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

TEST(Shift, AurocAgreesWithAllPairs) {
  RandomStream rng(5, Purpose::demo);
  std::vector<double> a, b;
  for (int i = 0; i < 150; ++i) a.push_back(std::round(30 * (rng.uniform() + 0.2)) / 30);
  for (int i = 0; i < 230; ++i) b.push_back(std::round(30 * rng.uniform()) / 30 + 0.01);
  b[3] = a[4];
  double pairs = 0;
  for (const double x : a)
    for (const double y : b) pairs += x > y ? 1 : x == y ? 0.5 : 0;
  const Shift s = compare_uncertainty(a, b, 10, 2);
  EXPECT_NEAR(s.auroc, pairs / (150 * 230), 1e-15);
  double here = 0, there = 0;
  for (const auto& row : s.histogram.rows) {
    here += std::get<double>(row[2]);
    there += std::get<double>(row[3]);
  }
  EXPECT_NEAR(here, 1, 1e-12);
  EXPECT_NEAR(there, 1, 1e-12);
  EXPECT_EQ(s.histogram.rows.size(), 10u);
}

TEST(Shift, EqualSetsAreEqual) {
  const std::vector<double> v{1, 2, 3, 4};
  EXPECT_EQ(compare_uncertainty(v, v, 5, 1).auroc, 0.5);
  const std::vector<double> same{2, 2, 2}, zero{0, 0};
  EXPECT_EQ(compare_uncertainty(same, same, 5, 1).histogram.rows.size(), 1u);
  EXPECT_EQ(compare_uncertainty(same, zero, 5, 1).auroc, 1.0);
  EXPECT_THROW((void)compare_uncertainty(v, {}, 5, 1), InputError);
}

TEST(Shift, VariancesOfItemsAreMeansOverOutputs) {
  const SimulatedRegression s = simulate({.n = 50, .outputs = 2});
  const auto v = item_variances(s.items(), 0, 2);
  EXPECT_DOUBLE_EQ(v[7], (s.variance[14] + s.variance[15]) / 2);
}

}  // namespace
}  // namespace plumb::test
