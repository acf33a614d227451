#include "plumb/simulate/linear_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

TEST(LinearModel, TruthIsTheLogisticOfTheFirstFeature) {
  const LinearModelData d = simulate_linear_model({.items = 40, .dimension = 3, .seed = 1});
  ASSERT_EQ(d.features.size(), 120u);
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_NEAR(d.truth[i], 1 / (1 + std::exp(-static_cast<double>(d.features[3 * i]))), 1e-14)
        << "a few roundings";
}

TEST(LinearModel, FeaturesAreStandardNormalAndLabelsFollow) {
  const LinearModelData d = simulate_linear_model({.items = 20000, .dimension = 3, .seed = 2});
  Sample x;
  Outcomes y;
  for (const float f : d.features) x.add(static_cast<double>(f));
  for (std::size_t i = 0; i < d.truth.size(); ++i) y.add(d.truth[i], d.labels[i]);
  EXPECT_NEAR(x.mean(), 0, kSigmas / std::sqrt(60000.0));
  EXPECT_NEAR(x.variance(), 1, kSigmas * std::sqrt(2 / 60000.0));
  EXPECT_LT(std::abs(y.z()), kSigmas);
}

TEST(LinearModel, ItemDependsOnSeedAndNumberAlone) {
  const LinearModelData many = simulate_linear_model({.items = 30, .dimension = 5, .seed = 3}),
                        few = simulate_linear_model({.items = 10, .dimension = 2, .seed = 3});
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(few.features[2 * i + 1], many.features[5 * i + 1]);
    EXPECT_EQ(few.labels[i], many.labels[i]);
  }
  EXPECT_NE(many.features, simulate_linear_model({.items = 30, .dimension = 5, .seed = 4}).features);
  EXPECT_THROW(static_cast<void>(simulate_linear_model({.items = 3, .dimension = 0})), std::invalid_argument);
}

struct Descent {
  double first, best, last,
      decided;  // mean (p - p*)^2 on fresh items; share of training items with p within 0.05 of 0 or 1
};

// Gradient descent on the cross-entropy from a random start (Liu eq. 9). With `resampled` the labels are
// replaced by their expectation, which is equivalent to redrawing them at every step.
Descent descend(std::size_t n, bool resampled) {
  const auto extent = static_cast<std::int64_t>(n);
  const LinearModelData train = simulate_linear_model({.items = extent, .dimension = extent, .seed = 5}),
                        fresh = simulate_linear_model({.items = extent, .dimension = extent, .seed = 6});
  std::vector<double> theta(n), gradient(n);
  RandomStream random(7, Purpose::demo);
  for (double& t : theta) t = random.normal() / std::sqrt(static_cast<double>(n));  // of norm about 1
  const auto predict = [&](const LinearModelData& d, std::size_t i) {
    double dot = 0;
    for (std::size_t k = 0; k < n; ++k) dot += theta[k] * static_cast<double>(d.features[i * n + k]);
    return 1 / (1 + std::exp(-dot));
  };
  Descent out{0, 1, 0, 0};
  for (int step = 0; step <= 1000; ++step) {
    if (step < 20 || step % 20 == 0) {
      Sample error;
      for (std::size_t i = 0; i < n; ++i)
        error.add((predict(fresh, i) - fresh.truth[i]) * (predict(fresh, i) - fresh.truth[i]));
      if (step == 0) out.first = error.mean();
      out.best = std::min(out.best, error.mean());
      out.last = error.mean();
    }
    gradient.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const double gap = predict(train, i) - (resampled ? train.truth[i] : train.labels[i]);
      for (std::size_t k = 0; k < n; ++k) gradient[k] += gap * static_cast<double>(train.features[i * n + k]);
    }
    for (std::size_t k = 0; k < n; ++k) theta[k] -= 0.5 * gradient[k] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double p = predict(train, i);
    out.decided += (p < 0.05 || p > 0.95) ? 1.0 / static_cast<double>(n) : 0.0;
  }
  return out;
}

// Liu et al. 2022, figures 7 and 8: the error falls, then rises while the probabilities go to 0 and 1;
// resampled labels do not.
TEST(LinearModel, LawsOfEarlyLearningAndMemorisation) {
  const Descent fixed = descend(120, false), oracle = descend(120, true);
  EXPECT_LT(fixed.best, 0.8 * fixed.first);
  EXPECT_GT(fixed.last, 1.5 * fixed.best);
  EXPECT_GT(fixed.decided, 0.8);
  EXPECT_LT(oracle.last, 0.3 * oracle.first);
  EXPECT_LT(oracle.decided, 0.2);
}

}  // namespace
}  // namespace plumb
