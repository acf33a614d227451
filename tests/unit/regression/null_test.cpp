// p-values of uce, ence, pit_ks and miscalibration_area.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/regression/evaluate.hpp"

namespace plumb {
namespace {

constexpr int kItems = 200, kDraws = 99;

RegressionItems errors_of(double factor, std::uint64_t seed, std::vector<double>* variance = nullptr) {
  RandomStream rng(seed, Purpose::demo, 12);
  std::vector<double> error, v;
  for (int i = 0; i < kItems; ++i) {
    v.push_back(0.5 + rng.uniform());
    error.push_back(factor * std::sqrt(v.back()) * rng.normal());
  }
  RegressionItems out;
  if (variance != nullptr) *variance = v;
  out.errors = Rows(array_of(error, {kItems}, "e.npy"));
  out.total = Rows(array_of(v, {kItems}, "v.npy"));
  return out;
}

const RegressionOptions kAsked{
    .metrics = {"uce", "ence", "pit_ks", "miscalibration_area", "mse"}, .bootstrap = kDraws, .seed = 7};

TEST(RegressionNull, CalibratedErrorsAreNotRejectedAndLargeOnesAre) {
  const Result calibrated = evaluate_regression(errors_of(1, 3), kAsked),
               off = evaluate_regression(errors_of(2, 3), kAsked);
  for (const char* key : {"uce", "ence", "pit_ks", "miscalibration_area"}) {
    ASSERT_TRUE(calibrated[key].p_value) << key;
    EXPECT_GT(*calibrated[key].p_value, 0.01) << key;
    EXPECT_GT(*calibrated[key].null_mean, 0) << key;
    EXPECT_DOUBLE_EQ(*off[key].p_value, 1.0 / (kDraws + 1)) << key;
  }
  EXPECT_FALSE(calibrated["mse"].p_value);
}

/// Reference: the draws evaluated one by one, on the bins of the data.
TEST(RegressionNull, IsTheRankAmongGaussianErrors) {
  std::vector<double> variance;
  const RegressionItems items = errors_of(1.1, 5, &variance);
  RegressionOptions o = kAsked;
  o.range = RegressionRange{0.5, 1.5};
  const Result r = evaluate_regression(items, o);
  int above = 0;
  for (std::uint32_t b = 0; b < kDraws; ++b) {
    std::vector<double> error;
    for (std::uint64_t i = 0; i < kItems; ++i)
      error.push_back(std::sqrt(variance[i]) *
                      normal_quantile(random_uniform(7, Purpose::null_labels, b, i) + 0x1p-54));
    RegressionItems drawn = items;
    drawn.errors = Rows(array_of(error, {kItems}, "e.npy"));
    RegressionOptions plain = o;
    plain.bootstrap = 0;
    above += *evaluate_regression(drawn, plain)["uce"].value >= *r["uce"].value;
  }
  EXPECT_DOUBLE_EQ(*r["uce"].p_value, (1.0 + above) / (kDraws + 1));
}

TEST(RegressionNull, ThreadsDoNotMatterAndGroupsHaveNone) {
  RegressionOptions o = kAsked;
  o.threads = 1;
  const Result one = evaluate_regression(errors_of(1, 9), o);
  o.threads = 4;
  const Result four = evaluate_regression(errors_of(1, 9), o);
  EXPECT_EQ(one["uce"].p_value, four["uce"].p_value);
  EXPECT_EQ(one["pit_ks"].null_mean, four["pit_ks"].null_mean);
  RegressionItems grouped = errors_of(1, 9);
  std::vector<std::int64_t> group;
  for (int i = 0; i < kItems; ++i) group.push_back(i / 4);
  grouped.groups = Names(Rows(array_of(group, {kItems}, "g.npy")));
  EXPECT_FALSE(evaluate_regression(grouped, o)["uce"].p_value);
}

}  // namespace
}  // namespace plumb
