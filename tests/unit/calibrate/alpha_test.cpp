#include "plumb/calibrate/alpha.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/alpha_problem.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "support/make_items.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

TEST(RisingFactorial, IsTheSumOfItsTermsForTinyAndHugeX) {
  for (const double x : {1e-20, 1e-9, 0.003, 0.5, 1.0, 7.25, 11.99, 12.0, 300.0, 1e6, 1e11})
    for (const std::uint32_t n : {1u, 2u, 3u, 9u, 17u, 64u, 65u, 100u, 1000u}) {
      long double log = 0, slope = 0, curvature = 0;
      for (std::uint32_t j = 1; j < n; ++j) {
        const long double X = x;
        log += std::log1p(j / X);
        slope += j / (X + j);
        curvature -= j * X / ((X + j) * (X + j));
      }
      const RisingFactorial r = rising_factorial(x, n);
      // Rounding of some n terms; the series subtract numbers of the size of n.
      const double slack = 4e-15 * (1 + n);
      EXPECT_NEAR(r.log, static_cast<double>(log), slack + 1e-15 * std::abs(static_cast<double>(log)))
          << x << " " << n;
      EXPECT_NEAR(r.slope, static_cast<double>(slope), slack) << x << " " << n;
      // The second derivative only steers the search; for large x and n it is a difference of two series.
      EXPECT_NEAR(r.curvature, static_cast<double>(curvature), slack + (n > 64 ? 4e-16 * x : 0))
          << x << " " << n;
    }
}

TEST(RisingFactorial, IsALogGammaDifference) {
  for (const double x : {0.2, 1.0, 5.5, 40.0})
    for (const std::uint32_t n : {2u, 10u, 200u})
      EXPECT_NEAR(rising_factorial(x, n).log, std::lgamma(x + n) - std::lgamma(x) - n * std::log(x), 1e-9);
}

// Votes from a Dirichlet-multinomial of known concentration around the prediction.
struct World {
  some::Data data;
  std::vector<double> feature;
};
World world(std::int64_t n, int classes, int votes, double bias, double weight, std::uint64_t seed) {
  World w;
  w.data.classes = classes;
  w.data.n = n;
  RandomStream r(seed, Purpose::sample);
  for (std::int64_t i = 0; i < n; ++i) {
    const double u = r.normal();
    w.feature.push_back(u);
    const double alpha = std::exp(bias + weight * u);
    std::vector<double> logits, z;
    double sum = 0;
    for (int k = 0; k < classes; ++k) logits.push_back(r.normal());
    for (const double l : logits) sum += std::exp(l);
    double gammas = 0;
    for (const double l : logits) {
      z.push_back(r.gamma(alpha * std::exp(l) / sum));
      gammas += z.back();
    }
    std::vector<std::int64_t> count(static_cast<std::size_t>(classes), 0);
    for (int v = 0; v < votes; ++v) {
      double at = r.uniform() * gammas;
      std::size_t k = 0;
      while (k + 1 < z.size() && at >= z[k]) at -= z[k++];
      ++count[k];
    }
    if (classes == 2) {
      w.data.logits.push_back(logits[1] - logits[0]);
    } else {
      w.data.logits.insert(w.data.logits.end(), logits.begin(), logits.end());
    }
    w.data.counts.insert(w.data.counts.end(), count.begin(), count.end());
    w.data.group.push_back(i);
  }
  return w;
}

TEST(Alpha, FindsTheConcentrationThatMadeTheVotes) {
  FitOptions none;
  none.lambda = 0;
  for (const int classes : {2, 4}) {
    const Step s = some::fit("alpha", world(4000, classes, 8, std::log(3.0), 0, 5).data.items(), none);
    // Standard error of log alpha_0 is about 0.03 here.
    EXPECT_NEAR(scalar_parameter(s, "bias"), std::log(3.0), 0.12) << classes;
    EXPECT_TRUE(s.fit.converged);
  }
}

TEST(Alpha, FindsWhatItDependsOn) {
  const World w = world(4000, 3, 8, 1.0, 0.7, 6);
  FitOptions o;
  o.lambda = 0;
  o.features = Rows(array_of(w.feature, {4000, 1}, "u"));
  const Step s = some::fit("alpha", w.data.items(), o);
  EXPECT_NEAR(scalar_parameter(s, "bias"), 1.0, 0.15);
  EXPECT_NEAR(vector_parameter(s, "weights")[0], 0.7, 0.15);
  std::vector<double> alpha(2);
  alpha_concentration(s, o.features, 10, 12, alpha);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(std::log(alpha[i]),
                scalar_parameter(s, "bias") + vector_parameter(s, "weights")[0] * w.feature[10 + i], 1e-12);
  EXPECT_THROW(alpha_concentration(s, {}, 0, 1, alpha), InputError);
  EXPECT_THROW(alpha_concentration(s, Rows(array_of(w.feature, {2000, 2}, "wide")), 0, 2, alpha), InputError);
}

// The objective written out with lgamma, and its gradient by differences.
TEST(Alpha, ObjectiveAndGradient) {
  const World w = world(200, 3, 5, 0.5, 0.3, 7);
  FitOptions o;
  o.features = Rows(array_of(w.feature, {100, 2}, "u"));
  some::Data half = w.data;
  half.n = 100;
  half.logits.resize(300);
  half.counts.resize(300);
  half.group.resize(100);
  const Items items = half.items();
  detail::AlphaProblem problem(items, o, 0.005);
  const std::vector<double> theta{0.4, -0.2, 0.3};
  std::vector<double> g(3), ignored(3);
  const double value = problem.value(theta, g);
  const auto file = problem.in_file_units(theta);
  PredictionBlock z;
  items.predictions.read(0, 100, z);
  double sum = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    const double s = file[0] + file[1] * w.feature[2 * i] + file[2] * w.feature[2 * i + 1], a = std::exp(s);
    double loss = std::lgamma(a + 5) - std::lgamma(a);
    for (std::size_t k = 0; k < 3; ++k)
      loss -= std::lgamma(a * z.z[3 * i + k] + static_cast<double>(half.counts[3 * i + k])) -
              std::lgamma(a * z.z[3 * i + k]);
    sum += loss + 0.005 * s * s;
  }
  EXPECT_NEAR(value, sum / 100, 1e-11);
  for (std::size_t j = 0; j < 3; ++j) {
    constexpr double h = 1e-5;
    std::vector<double> up = theta, down = theta, gu(3), gd(3);
    up[j] += h;
    down[j] -= h;
    EXPECT_NEAR((problem.value(up, gu) - problem.value(down, gd)) / (2 * h), g[j], 1e-8);
    (void)problem.value(theta, ignored);
    std::vector<double> e(3, 0.0), column(3);
    e[j] = 1;
    problem.times(e, column);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR((gu[m] - gd[m]) / (2 * h), column[m], 1e-7);
  }
}

TEST(Alpha, LeavesTheProbabilitiesAlone) {
  const Items items = world(50, 3, 4, 1, 0, 8).data.items();
  CalibrationModel model;
  model.classes = 3;
  model.steps = {some::fit("alpha", items, {})};
  PredictionBlock before, after;
  items.predictions.read(0, 50, before);
  Pipeline(model).apply(items.predictions, 0, 50, after);
  EXPECT_EQ(before.z, after.z);  // bit for bit
}

TEST(Alpha, OneVoteSaysNothing) {
  const World w = world(40, 3, 1, 1, 0, 9);
  EXPECT_THROW((void)some::fit("alpha", w.data.items(), {}), InputError);
  some::Data mixed = world(40, 3, 4, 1, 0, 9).data;
  const Step alone = some::fit("alpha", mixed.items(), {});
  for (std::int64_t i = 0; i < 40; ++i) mixed.take(w.data, i, w.data.votes(i));
  const Step both = some::fit("alpha", mixed.items(), {});
  EXPECT_EQ(scalar_parameter(alone, "bias"), scalar_parameter(both, "bias"));
  EXPECT_EQ(both.fit.items, 40);
  EXPECT_EQ(both.fit.warnings.size(), 1u);
}

TEST(Alpha, RatersOfOneMindEndAtAFiniteValue) {
  some::Data d = world(60, 3, 4, 1, 0, 10).data;
  for (std::int64_t i = 0; i < d.n; ++i)
    for (int k = 0; k < 3; ++k) d.counts[static_cast<std::size_t>(3 * i + k)] = k == 0 ? 4 : 0;
  const Step s = some::fit("alpha", d.items(), {});
  EXPECT_TRUE(s.fit.converged);
  EXPECT_LT(scalar_parameter(s, "bias"), 0);
}

TEST(Alpha, VotesAsWeights) {
  some::Data few = world(200, 3, 2, 2, 0, 11).data;
  const some::Data many = world(200, 3, 20, -1, 0, 12).data;
  for (std::int64_t i = 0; i < many.n; ++i) few.take(many, i, many.votes(i));
  FitOptions by_votes;
  by_votes.weight_votes = true;
  // The items of many votes are the spread ones: weighing by votes moves alpha_0 to theirs.
  EXPECT_LT(scalar_parameter(some::fit("alpha", few.items(), by_votes), "bias"),
            scalar_parameter(some::fit("alpha", few.items(), {}), "bias"));
}

std::optional<double> option_of(const Step& step, const char* name) {
  for (const auto& [key, value] : step.fit.options)
    if (key == name) return std::get<double>(value);
  return std::nullopt;
}

// The interval's standard error is that of leaving out one unit at a time, to first order.
TEST(Alpha, IntervalAgreesWithTheJackknife) {
  for (const int groups : {0, 40}) {
    const test::Simulated s = test::simulate(
        {.n = 160, .classes = 3, .raters = 5, .heterogeneity = 3, .groups = groups, .seed = 12});
    FitOptions no_penalty;
    no_penalty.lambda = 0;
    const Step step = fit_calibrator("alpha", to_items(s, test::VoteForm::counts), no_penalty).front();
    const double log_alpha = scalar_parameter(step, "bias");
    ASSERT_TRUE(option_of(step, "alpha_0_low"));
    EXPECT_NEAR(std::log(*option_of(step, "alpha_0")), log_alpha, 1e-12);
    EXPECT_NEAR(std::log(*option_of(step, "alpha_0_low")) + std::log(*option_of(step, "alpha_0_high")),
                2 * log_alpha, 1e-6);
    // The penalty moves alpha_0, and the interval hardly.
    const Step pulled = fit_calibrator("alpha", to_items(s, test::VoteForm::counts), {}).front();
    EXPECT_LT(scalar_parameter(pulled, "bias"), log_alpha - 0.01);
    EXPECT_NEAR(std::log(*option_of(pulled, "alpha_0_low") / *option_of(step, "alpha_0_low")), 0, 0.02);
    const double half = std::log(*option_of(step, "alpha_0_high")) - log_alpha;
    const int units = groups > 0 ? groups : 160;
    double squares = 0;
    for (int u = 0; u < units; ++u) {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < s.size(); ++i)
        if (static_cast<int>(i) % units != u) rows.push_back(i);
      const Step without =
          fit_calibrator("alpha", to_items(take(s, rows), test::VoteForm::counts), no_penalty).front();
      squares += std::pow(scalar_parameter(without, "bias") - log_alpha, 2);
    }
    const double jackknife = std::sqrt(squares * (units - 1.0) / units);
    // Of groups the interval is Student's: t of 39 degrees of freedom is 2.023.
    EXPECT_NEAR(half / (groups > 0 ? 2.023 : 1.96) / jackknife, 1, 0.05) << groups;
  }
}

TEST(Alpha, IntervalIsForAverageFeatures) {
  const test::Simulated s =
      test::simulate({.n = 400, .classes = 3, .raters = 5, .heterogeneity = 3, .seed = 13});
  std::vector<double> u;
  double mean = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    u.push_back(i % 7 == 0 ? 5.0 : 1.0);
    mean += u.back() / s.size();
  }
  FitOptions o;
  o.features = Rows(array_of(u, {400, 1}, "features"));
  const Step step = fit_calibrator("alpha", to_items(s, test::VoteForm::counts), o).front();
  EXPECT_NEAR(std::log(*option_of(step, "alpha_0")),
              scalar_parameter(step, "bias") + vector_parameter(step, "weights")[0] * mean, 1e-9);
  EXPECT_LT(*option_of(step, "alpha_0_low"), *option_of(step, "alpha_0"));
  EXPECT_LT(*option_of(step, "alpha_0_high") / *option_of(step, "alpha_0_low"), 3);
}

}  // namespace
}  // namespace plumb
