#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/monotone_logistic.hpp"
#include "calibrate/spline_basis.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

TEST(SplineBasis, WithAllWeightsOneIsTheIdentity) {
  const std::vector<double> knots{-3, -1, 0, 0.5, 2, 4};
  const auto basis = detail::integrated_splines(knots, 2);
  EXPECT_EQ(basis.size(), knots.size() + 1);
  for (double x = -10; x < 10; x += 0.37) {
    double sum = 0;
    for (const auto& b : basis) sum += b(x);
    EXPECT_NEAR(sum, x - knots[2], 1e-12) << x;
  }
}

TEST(SplineBasis, EachRisesAndHasContinuousSlope) {
  const auto basis = detail::integrated_splines(std::vector<double>{-2, -1, 1, 3}, 1);
  constexpr double h = 1e-6;
  for (const auto& b : basis)
    for (double x = -4; x < 5; x += 0.11) {
      EXPECT_GE(b(x + h) - b(x), -1e-15);
      const double before = (b(x) - b(x - h)) / h, after = (b(x + h) - b(x)) / h;
      EXPECT_NEAR(before, after, 1e-5) << x;
    }
}

Items simulated(std::int64_t n, std::uint64_t seed) { return some::simulate(n, 2, 3, seed).items(); }

TEST(Spline, RisesEverywhere) {
  FitOptions weak;
  weak.lambda = 1e-6;
  const Step s = some::fit("spline", simulated(300, 4), weak);
  std::vector<double> l;
  for (double x = -30; x <= 30; x += 0.05) l.push_back(x);
  std::vector<double> z(l.size());
  make_map(s, 2)->apply(l, 1, z);
  for (std::size_t i = 1; i < z.size(); ++i) EXPECT_GE(z[i], z[i - 1]) << l[i];
}

TEST(Spline, AStrongPenaltyIsTheIdentity) {
  FitOptions strong;
  strong.lambda = 1e9;
  const Step s = some::fit("spline", simulated(300, 4), strong);
  std::vector<double> l{-5, -1, 0, 0.3, 4}, z(5);
  make_map(s, 2)->apply(l, 1, z);
  // The penalty is finite, so a shift of the order of 1 / lambda is left.
  for (std::size_t i = 0; i < l.size(); ++i) EXPECT_NEAR(z[i], 1 / (1 + std::exp(-l[i])), 1e-7);
}

// Optimality by finite differences: no small admissible change of a coefficient lowers the objective.
TEST(Spline, NoStepImprovesTheObjective) {
  detail::MonotoneLogistic p;
  RandomStream r(3, Purpose::sample);
  for (int i = 0; i < 500; ++i) {
    const double x = r.normal();
    p.x.insert(p.x.end(), {1, x, std::max(x, 0.0)});
    p.trials.push_back(2);
    p.hits.push_back(r.uniform() < 1 / (1 + std::exp(-x)) ? 2 : 0);
  }
  p.target = {0, 1, 1};
  const double lambda = 1e-3;
  std::vector<double> c = p.target;
  FitReport report;
  p.minimise(lambda, -1, 1, c, report);
  EXPECT_TRUE(report.converged);
  const auto objective = [&](const std::vector<double>& at) {
    double sum = 0, penalty = 0;
    for (std::size_t i = 0; i < p.hits.size(); ++i) {
      const double s = p.x[3 * i] * at[0] + p.x[3 * i + 1] * at[1] + p.x[3 * i + 2] * at[2];
      sum += p.trials[i] * std::log1p(std::exp(s)) - p.hits[i] * s;
    }
    for (std::size_t j = 0; j < 3; ++j) penalty += (at[j] - p.target[j]) * (at[j] - p.target[j]);
    return sum / 1000 + lambda * penalty;
  };
  EXPECT_NEAR(objective(c), report.objective, 1e-12);
  for (std::size_t j = 0; j < 3; ++j)
    for (const double h : {-1e-3, 1e-3}) {
      std::vector<double> moved = c;
      moved[j] += h;
      if (j == 0 || moved[j] >= 0) {
        EXPECT_GT(objective(moved), objective(c)) << j << " " << h;
      }
    }
}

TEST(Spline, LowersTheLogLossOfAnOverconfidentModel) {
  const Items train = simulated(2000, 1), test = simulated(2000, 2);
  CalibrationModel model;
  model.classes = 2;
  model.steps = {some::fit("spline", train, {})};
  const auto loss = [&](const Items& items) {
    PredictionBlock z;
    VoteBlock v;
    items.predictions.read(0, items.size(), z);
    items.votes.read(0, items.size(), v);
    double sum = 0;
    for (std::int64_t i = 0; i < items.size(); ++i) {
      const double p = z.z[static_cast<std::size_t>(i)];
      sum -= v.hits(i, 1) * std::log(p) + v.hits(i, 0) * std::log(1 - p);
    }
    return sum;
  };
  EXPECT_LT(loss(calibrated(test, model, 1)), 0.97 * loss(test));
}

TEST(Spline, OneValueOfTheScore) {
  some::Data d = some::simulate(30, 2, 3, 8);
  std::fill(d.logits.begin(), d.logits.end(), 0.7);
  EXPECT_TRUE(some::fit("spline", d.items(), {}).fit.converged);
}

}  // namespace
}  // namespace plumb
