#include <gtest/gtest.h>

#include "calibrate/mixture.hpp"
#include "parametric.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using test::fit;
using test::simulate;
using test::Simulated;
using test::to_items;
using test::values;
using test::VoteForm;

// Every point of a grid on the simplex, and every small exchange between two weights, is no better.
TEST(Ets, NoOtherWeightsAreBetter) {
  for (const int k : {2, 4}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Simulated s =
          simulate({.n = 200, .classes = k, .raters = 2, .sharpen = 2.5, .heterogeneity = 3, .seed = seed});
      const Step step = fit("ets", to_items(s, VoteForm::counts));
      const auto u = test::naive_logits(s);
      const auto at = test::naive_objective(step, s, u);
      const auto& w = values(step, "w");
      EXPECT_NEAR(w[0] + w[1] + w[2], 1, 1e-12);
      const auto worse = [&](std::vector<double> other) {
        Step trial = step;
        trial.parameters[1].values = std::move(other);
        EXPECT_GE(static_cast<double>(test::naive_objective(trial, s, u) - at), -1e-13) << k << " " << seed;
      };
      for (int a = 0; a <= 10; ++a)
        for (int b = 0; a + b <= 10; ++b) worse({a / 10.0, b / 10.0, (10 - a - b) / 10.0});
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          std::vector<double> other = w;
          const double step_size = std::min(1e-4, other[i]);
          other[i] -= step_size;
          other[j] += step_size;
          worse(other);
        }
    }
  }
}

TEST(Mixture, TwoStartsOneAnswer) {
  RandomStream rng(2, Purpose::demo);
  std::vector<detail::MixtureEntry> entries;
  for (int i = 0; i < 400; ++i) entries.push_back({{rng.uniform(), rng.uniform(), 0.25}, 1 / 400.0});
  const auto a = detail::fit_mixture(entries, {0.8, 0.1, 0.1}, 2);
  const auto b = detail::fit_mixture(entries, {0.01, 0.01, 0.98}, 1);
  const auto c = detail::fit_mixture(entries, {0, 0, 1}, 1);
  EXPECT_TRUE(a.minimum.converged && b.minimum.converged && c.minimum.converged);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(a.w[j], b.w[j], 1e-9);
    EXPECT_NEAR(a.w[j], c.w[j], 1e-9);
  }
}

// A vote on probability 0 of both forecasts keeps the uniform member alive.
TEST(Mixture, AVoteOnZeroNeedsTheUniformMember) {
  std::vector<detail::MixtureEntry> entries(10, {{0.9, 0.8, 0.25}, 0.1});
  entries[3].q = {0, 0, 0.25};
  const auto fit = detail::fit_mixture(entries, {0.8, 0.1, 0.1}, 1);
  EXPECT_TRUE(fit.minimum.converged);
  // 9/10 log(0.9 w + 0.25 (1 - w)) + 1/10 log(0.25 (1 - w)): w = 0.9 - 0.1 * 0.25 / 0.65.
  EXPECT_NEAR(fit.w[0], 0.9 - 0.025 / 0.65, 1e-9);
  EXPECT_EQ(fit.w[1], 0);
}

TEST(Ets, AModelWithBadWeightsIsRefused) {
  Step step;
  step.method = "ets";
  step.add_parameter("T", 2.0);
  step.add_parameter("w", std::vector<double>{0.5, 0.6, -0.1});
  EXPECT_THROW((void)make_map(step, 3), InputError);
  step.parameters[1].values = {0.5, 0.2, 0.2};
  EXPECT_THROW((void)make_map(step, 3), InputError);
  step.parameters[1].values = {0.5, 0.3, 0.2};
  EXPECT_NO_THROW((void)make_map(step, 3));
  step.parameters[0].values = {-1};
  EXPECT_THROW((void)make_map(step, 3), InputError);
}

}  // namespace
}  // namespace plumb
