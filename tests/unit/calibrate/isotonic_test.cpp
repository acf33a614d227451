#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

Items binary(std::vector<double> p, std::vector<std::int64_t> labels) {
  Items items;
  const auto n = static_cast<std::int64_t>(p.size());
  items.predictions = Predictions({Rows(array_of(std::move(p), {n}, "p"))}, Scale::probability);
  items.votes = Votes::from_labels(Rows(array_of(std::move(labels), {n}, "y")), 2);
  return items;
}

std::vector<double> apply(const Step& step, std::vector<double> p) {
  make_map(step, 2)->apply(p, 1, p);
  return p;
}

TEST(Isotonic, PoolsByHand) {
  // Frequencies 0, {1, 0} pooled, 1: blocks of 1, 2, 1 votes.
  const Step s = some::fit("isotonic", binary({0.1, 0.3, 0.5, 0.9}, {0, 1, 0, 1}), {});
  const auto values = vector_parameter(s, "values");
  ASSERT_EQ(values.size(), 3u);
  EXPECT_DOUBLE_EQ(values[0], 0.5 / 2);
  EXPECT_DOUBLE_EQ(values[1], 1.5 / 3);
  EXPECT_DOUBLE_EQ(values[2], 1.5 / 2);
  const auto edges = vector_parameter(s, "edges");
  EXPECT_DOUBLE_EQ(edges[0], 0.2);
  EXPECT_DOUBLE_EQ(edges[1], 0.7);
  EXPECT_EQ(apply(s, {0.0, 0.19, 0.2, 0.6, 0.7, 1.0}),
            (std::vector<double>{0.25, 0.25, 0.5, 0.5, 0.75, 0.75}));
}

TEST(Isotonic, TiesAreOneBlockWhateverTheirOrder) {
  const Step a = some::fit("isotonic", binary({0.4, 0.4, 0.4, 0.8}, {0, 0, 1, 1}), {});
  const Step b = some::fit("isotonic", binary({0.4, 0.8, 0.4, 0.4}, {1, 1, 0, 0}), {});
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_DOUBLE_EQ(vector_parameter(a, "values")[0], 1.5 / 4);
}

TEST(Isotonic, SmoothingKeepsTheOrder) {
  // 0 of 1 below 1 of 100: smoothed 0.25 would stand above 0.0149, so the two are pooled.
  std::vector<double> p{0.1};
  std::vector<std::int64_t> y{0};
  for (int i = 0; i < 100; ++i) {
    p.push_back(0.2);
    y.push_back(i == 0 ? 1 : 0);
  }
  const Step s = some::fit("isotonic", binary(p, y), {});
  const auto values = vector_parameter(s, "values");
  ASSERT_EQ(values.size(), 1u);
  EXPECT_DOUBLE_EQ(values[0], 1.5 / 102);
}

TEST(Isotonic, RisesOnRandomData) {
  const Items items = some::simulate(3000, 2, 3, 5).items();
  const Step s = some::fit("isotonic", items, {});
  const auto values = vector_parameter(s, "values");
  EXPECT_GT(values.size(), 5u);
  for (std::size_t i = 1; i < values.size(); ++i) EXPECT_LT(values[i - 1], values[i]);
}

// Reference: the isotonic mean is max over starts of min over ends of the mean between (Barlow et al. 1972).
TEST(Isotonic, IsTheMaxMinOfMeans) {
  const int n = 60;
  std::vector<double> p;
  std::vector<std::int64_t> y;
  RandomStream r(11, Purpose::sample);
  for (int i = 0; i < n; ++i) {
    p.push_back((i + 0.5) / n);
    y.push_back(r.uniform() < p.back() ? 1 : 0);
  }
  const Step s = some::fit("isotonic", binary(p, y), {});
  const auto z = apply(s, p);
  std::vector<double> reference(p.size());
  for (int i = 0; i < n; ++i) {
    double best = -1;
    for (int a = 0; a <= i; ++a) {
      double least = 2, sum = 0;
      for (int b = a; b < n; ++b) {
        sum += static_cast<double>(y[static_cast<std::size_t>(b)]);
        if (b >= i) least = std::min(least, sum / (b - a + 1));
      }
      best = std::max(best, least);
    }
    reference[static_cast<std::size_t>(i)] = best;
  }
  // Smoothing moves values and may pool neighbours, so blocks are compared: equal reference, equal answer.
  for (int i = 1; i < n; ++i) {
    const auto j = static_cast<std::size_t>(i);
    if (reference[j] == reference[j - 1]) {
      EXPECT_EQ(z[j], z[j - 1]) << i;
    }
    EXPECT_GE(z[j], z[j - 1]);
  }
}

TEST(Isotonic, ClassesAreDividedByTheirSum) {
  const Items items = some::simulate(500, 4, 3, 9).items();
  const Step s = some::fit("isotonic", items, {});
  EXPECT_EQ(vector_parameter(s, "cells").size(), 4u);
  std::vector<double> row{0, 0, 0, 1};  // where each class by itself is unlikely there is still a sum
  make_map(s, 4)->apply(row, 4, row);
  double sum = 0;
  for (const double z : row) sum += z;
  EXPECT_NEAR(sum, 1, 1e-15);
}

TEST(Histogram, FrequenciesOfEqualMassBins) {
  FitOptions options;
  options.bins = 2;
  const Step s = some::fit("histogram", binary({0.9, 0.1, 0.2, 0.8}, {0, 0, 1, 1}), options);
  const auto values = vector_parameter(s, "values");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_DOUBLE_EQ(values[0], 1.5 / 3);
  EXPECT_DOUBLE_EQ(values[1], 1.5 / 3);
  EXPECT_EQ(vector_parameter(s, "edges")[0], 0.5);
}

TEST(Histogram, OneValueIsOneBin) {
  const Step s = some::fit("histogram", binary({0.3, 0.3, 0.3}, {0, 1, 0}), {});
  EXPECT_EQ(vector_parameter(s, "values").size(), 1u);
  EXPECT_DOUBLE_EQ(apply(s, {0.99})[0], 1.5 / 4);
}

TEST(Tables, RefuseWhatDoesNotFit) {
  Step s = some::fit("isotonic", binary({0.1, 0.9}, {0, 1}), {});
  EXPECT_THROW((void)make_map(s, 3), InputError);
  for (const auto& change : {0, 1, 2}) {
    Step bad = s;
    if (change == 0) bad.parameters[0].values[0] = 7;
    if (change == 1) bad.parameters[2].values[0] = 1.5;
    if (change == 2) bad.parameters.pop_back();
    EXPECT_THROW((void)make_map(bad, 2), InputError) << change;
  }
}

}  // namespace
}  // namespace plumb
