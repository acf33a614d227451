// Conformalized quantiles and cross-fitted variances.
#include "plumb/calibrate/regression/cqr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/calibrate/regression/cross_fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

const std::vector<double> kEnds{0.1, 0.5, 0.9};

struct Drawn {
  QuantileItems items;
  Names category;
};

/// Quantiles that are too narrow; more so for every third item.
Drawn narrow_quantiles(int n, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 4);
  std::vector<double> q, y;
  std::vector<std::int64_t> category;
  for (int i = 0; i < n; ++i) {
    const double mean = rng.normal();
    category.push_back(i % 3 == 0 ? 1 : 0);
    for (const double u : {-0.8, 0.0, 0.8}) q.push_back(mean + u);
    y.push_back(mean + (i % 3 == 0 ? 3 : 1) * rng.normal());
  }
  return {{Rows(array_of(q, {n, 3}, "q.npy")), kEnds, Rows(array_of(y, {n}, "y.npy")), {}, {}, {}},
          Names(Rows(array_of(category, {n}, "c.npy")))};
}

std::vector<double> applied(const CalibrationModel& model, const Drawn& d, bool within) {
  std::vector<double> out;
  apply_cqr(model, d.items, within ? d.category : Names(),
            [&](std::span<const double> rows) { out.insert(out.end(), rows.begin(), rows.end()); });
  return out;
}

TEST(Cqr, IsTheOrderStatisticOfTheScores) {
  const Drawn d = narrow_quantiles(57, 1);
  std::vector<double> q(57 * 3), y(57), score;
  d.items.quantiles.read(0, 57, q);
  d.items.targets.read(0, 57, y);
  for (int i = 0; i < 57; ++i) score.push_back(std::max(q[3 * i] - y[i], y[i] - q[3 * i + 2]));
  std::sort(score.begin(), score.end());
  const double shift = score[static_cast<int>(std::ceil(0.8 * 58)) - 1];
  const CalibrationModel model = parse_model(model_text(fit_cqr(d.items, {})), "cqr.json");
  const std::vector<double> out = applied(model, d, false);
  for (int i = 0; i < 57; ++i) {
    EXPECT_DOUBLE_EQ(out[3 * i], q[3 * i] - shift);
    EXPECT_EQ(out[3 * i + 1], q[3 * i + 1]);
    EXPECT_DOUBLE_EQ(out[3 * i + 2], q[3 * i + 2] + shift);
  }
}

TEST(Cqr, CoversInEachCategory) {
  const Drawn fit = narrow_quantiles(900, 2), test = narrow_quantiles(30'000, 3);
  const CalibrationModel model = parse_model(model_text(fit_cqr(fit.items, fit.category)), "cqr.json");
  const std::vector<double> out = applied(model, test, true);
  std::vector<double> y(30'000);
  test.items.targets.read(0, 30'000, y);
  double inside[2] = {0, 0}, all[2] = {0, 0};
  for (int i = 0; i < 30'000; ++i) {
    const int c = i % 3 == 0;
    ++all[c];
    inside[c] += out[3 * i] <= y[i] && y[i] <= out[3 * i + 2];
  }
  EXPECT_NEAR(inside[0] / all[0], 0.8, 0.04);  // 600 and 300 items: standard errors of 0.016 and 0.023
  EXPECT_NEAR(inside[1] / all[1], 0.8, 0.06);
}

TEST(Cqr, WhatItCannotDoIsRefused) {
  const Drawn d = narrow_quantiles(30, 1), few = narrow_quantiles(3, 1);
  EXPECT_THROW(static_cast<void>(fit_cqr(few.items, {})), InputError);
  EXPECT_THROW(static_cast<void>(fit_cqr(narrow_quantiles(9, 1).items, narrow_quantiles(9, 1).category)),
               InputError);
  QuantileItems uneven = d.items;
  uneven.levels = {0.1, 0.5, 0.8};
  EXPECT_THROW(static_cast<void>(fit_cqr(uneven, {})), InputError);
  QuantileItems weighted = d.items;
  weighted.weights = Rows(array_of(std::vector<double>(30, 1.0), {30}, "w.npy"));
  EXPECT_THROW(static_cast<void>(fit_cqr(weighted, {})), InputError);
  const CalibrationModel plain = fit_cqr(d.items, {}),
                         parts = fit_cqr(narrow_quantiles(90, 1).items, narrow_quantiles(90, 1).category);
  EXPECT_THROW(static_cast<void>(applied(plain, d, true)), InputError);
  EXPECT_THROW(static_cast<void>(applied(parts, d, false)), InputError);
  Drawn other = d;
  other.category = Names(Rows(array_of(std::vector<std::int64_t>(30, 7), {30}, "c.npy")));
  EXPECT_THROW(static_cast<void>(applied(parts, other, true)), InputError);
}

/// Errors twice as large as predicted.
RegressionItems too_sure(int n, double factor, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 6);
  std::vector<double> error, variance;
  for (int i = 0; i < n; ++i) {
    variance.push_back(0.5 + rng.uniform());
    error.push_back(factor * std::sqrt(variance.back()) * rng.normal());
  }
  RegressionItems out;
  out.errors = Rows(array_of(error, {n}, "e.npy"));
  out.total = Rows(array_of(variance, {n}, "v.npy"));
  return out;
}

TEST(CrossFitVariances, NoItemSeesItself) {
  const RegressionItems items = too_sure(60, 2, 1);
  const std::vector<double> v = cross_fit_variances("sigma", items, {.seed = 3}, 4);
  std::vector<double> plain(60), error(60);
  items.total.read(0, 60, plain);
  items.errors.read(0, 60, error);
  std::vector<double> factors;
  for (int i = 0; i < 60; ++i) factors.push_back(v[i] / plain[i]);
  std::sort(factors.begin(), factors.end());
  factors.erase(
      std::unique(factors.begin(), factors.end(), [](double a, double b) { return std::abs(a - b) < 1e-9; }),
      factors.end());
  EXPECT_EQ(factors.size(), 4u);  // one for each fold
  // Another error of the first item does not move its own variance.
  RegressionItems changed = items;
  error[0] *= 3;
  changed.errors = Rows(array_of(error, {60}, "e.npy"));
  const std::vector<double> w = cross_fit_variances("sigma", changed, {.seed = 3}, 4);
  EXPECT_EQ(w[0], v[0]);
  EXPECT_NE(w, v);
}

TEST(CrossFitVariances, RefusesWhatHasNoVariances) {
  EXPECT_THROW(static_cast<void>(cross_fit_variances("conformal", too_sure(60, 2, 1), {}, 4)), InputError);
  EXPECT_THROW(static_cast<void>(cross_fit_variances("sigma", too_sure(60, 2, 1), {}, 1)), InputError);
  EXPECT_THROW(static_cast<void>(cross_fit_variances("sigma", too_sure(3, 2, 1), {}, 4)), InputError);
}

TEST(RegressionAuto, LeavesCalibratedVariancesAloneAndRepairsOthers) {
  const CalibrationModel none = fit_regression_auto(too_sure(400, 1, 5), {});
  EXPECT_EQ(none.steps.front().method, "sigma");
  EXPECT_NEAR(none.steps.front().parameters.front().values.front(), 1, 0.08);
  const RegressionItems items = too_sure(400, 2, 5), fresh = too_sure(2000, 2, 6);
  const CalibrationModel repaired = parse_model(model_text(fit_regression_auto(items, {})), "auto.json");
  const RegressionItems after = calibrated(fresh, repaired);
  std::vector<double> variance(2000), error(2000);
  after.total.read(0, 2000, variance);
  after.errors.read(0, 2000, error);
  double zms = 0;
  for (int i = 0; i < 2000; ++i) zms += error[i] * error[i] / variance[i] / 2000;
  EXPECT_NEAR(zms, 1, 0.2);  // it was 4; standard errors of 0.07 of the fit and 0.03 of the test
  EXPECT_THROW(static_cast<void>(fit_regression_auto(items, {.levels = {0.9}})), InputError);
}

}  // namespace
}  // namespace plumb
