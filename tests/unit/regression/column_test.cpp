#include "plumb/regression/column.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

std::string complaint(const RegressionItems& items, bool with_errors = true) {
  try {
    check_regression(items, with_errors);
    RegressionBlock b;
    read_regression(items, 0, items.size(), b);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

Rows column(std::vector<double> values, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size());
  return Rows(array_of(std::move(values), {n}, name));
}
Rows matrix(std::vector<double> values, std::int64_t width, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size()) / width;
  return Rows(array_of(std::move(values), {n, width}, name));
}

TEST(RegressionColumn, OutputByOutput) {
  RegressionItems items;
  items.mean.push_back(matrix({1, 10, 2, 20, 3, 30}, 2, "m"));
  items.targets = matrix({1.5, 11, 2.5, 22, 3.5, 33}, 2, "y");
  items.total = column({4, 9, 16}, "v");  // one variance for both outputs
  RegressionBlock b;
  read_regression(items, 1, 3, b);
  EXPECT_EQ(b.error, (std::vector<double>{0.5, 0.5, 2, 3}));
  EXPECT_EQ(b.variance, (std::vector<double>{9, 16, 9, 16}));
  EXPECT_EQ(b.mean, (std::vector<double>{2, 3, 20, 30}));
  items.total_is_std = true;
  read_regression(items, 0, 1, b);
  EXPECT_EQ(b.variance, (std::vector<double>{16, 16}));
}

TEST(RegressionColumn, PassesGiveMeanAndBothVariances) {
  // Laves 2021, eq. 10 with S = 3: mean 2, 1/S variance 2/3.
  RegressionItems items;
  for (const double m : {1.0, 2.0, 3.0}) items.mean.push_back(column({m, 5}, "m"));
  for (const double v : {0.3, 0.6, 0.9}) items.aleatoric.push_back(column({v, 1}, "v"));
  items.targets = column({2.5, 5}, "y");
  ASSERT_EQ(complaint(items), "");
  RegressionBlock b;
  read_regression(items, 0, 2, b);
  EXPECT_NEAR(b.error[0], 0.5, 1e-15);
  EXPECT_NEAR(b.epistemic[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(b.aleatoric[0], 0.6, 1e-15);
  EXPECT_NEAR(b.variance[0], 0.6 + 2.0 / 3, 1e-15);
  EXPECT_NEAR(b.epistemic[1], 0, 1e-30);
}

TEST(RegressionColumn, ErrorsStandForMeanAndTargets) {
  RegressionItems items;
  items.errors = column({1, -2}, "e");
  items.total = column({1, 1}, "v");
  EXPECT_EQ(complaint(items), "");
  RegressionBlock b;
  read_regression(items, 0, 2, b);
  EXPECT_EQ(b.error, (std::vector<double>{1, -2}));
  EXPECT_TRUE(b.mean.empty());
  items.targets = column({1, 1}, "y");
  EXPECT_NE(complaint(items).find(".errors means"), std::string::npos);
}

TEST(RegressionColumn, ComplaintsNameFileRowAndValue) {
  SimulatedRegression s = simulate({.n = 20});
  RegressionItems items = s.items();
  EXPECT_EQ(complaint(items), "");
  s.variance[7] = -0.25;
  EXPECT_NE(complaint(s.items()).find("v.npy, row 7: the variance is -0.25"), std::string::npos)
      << complaint(s.items());
  s.variance[7] = NAN;
  EXPECT_NE(complaint(s.items()).find("row 7"), std::string::npos);
  s.variance[7] = 1;
  s.target[3] = INFINITY;
  EXPECT_NE(complaint(s.items()).find("y.npy, row 3"), std::string::npos);
  s.target[3] = 0;
  s.weight.assign(20, 1);
  s.weight[2] = -1;
  EXPECT_NE(complaint(s.items()).find("w.npy, row 2: the weight is -1"), std::string::npos);

  items = simulate({.n = 20}).items();
  items.total = column({1, 2}, "short.npy");
  EXPECT_NE(complaint(items).find("short.npy"), std::string::npos);
  items = simulate({.n = 20, .outputs = 3}).items();
  items.targets = column(std::vector<double>(20), "narrow.npy");
  EXPECT_NE(complaint(items).find("narrow.npy: .targets has 1 output"), std::string::npos)
      << complaint(items);
  items = simulate({.n = 20}).items();
  items.total = Rows();
  EXPECT_NE(complaint(items).find("no predicted uncertainty given"), std::string::npos);
  items = simulate({.n = 20}).items();
  items.targets = Rows();
  EXPECT_NE(complaint(items).find(".targets"), std::string::npos);
  EXPECT_EQ(complaint(items, false), "");
}

TEST(RegressionColumn, GatherTakesTheRows) {
  const SimulatedRegression s = simulate({.n = 30, .outputs = 2, .parts = true, .weights = true});
  const std::vector<std::int64_t> rows{4, 1, 4};
  RegressionBlock a, b;
  const RegressionItems part = s.items().gather(rows);
  read_regression(part, 0, 3, a);
  read_regression(s.take({4, 1, 4}).items(), 0, 3, b);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.aleatoric, b.aleatoric);
  EXPECT_EQ(a.weight, b.weight);
}

}  // namespace
}  // namespace plumb::test
