// platt, beta and quadratic beyond what parametric_test.cpp asks of every method.
#include "calibrate/logistic.hpp"

#include <gtest/gtest.h>

#include "parametric.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using test::fit;
using test::simulate;
using test::Simulated;
using test::to_items;
using test::values;
using test::VoteForm;

TEST(Logistic, TwoStartsOneAnswer) {
  const Items items = to_items(simulate({.n = 300, .raters = 2}), VoteForm::counts);
  const detail::LogisticProblem p(items, {.threads = 2}, 3,
                                  [](double u, std::span<double> x) { x[0] = 1, x[1] = u, x[2] = u * u; });
  const auto a = p.fit({0, 1, 0}, {true, true, true}), b = p.fit({3, -2, 0.5}, {true, true, true});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.theta[i], b.theta[i], 1e-9);
}

TEST(Logistic, RowOrderKeepsTheBits) {
  const Simulated s = simulate({.n = 3000, .raters = 2});
  const Simulated moved = take(s, test::shuffled(s.size(), 4));
  for (const char* method : {"platt", "beta", "quadratic"}) {
    const Step a = fit(method, to_items(s, VoteForm::counts)),
               b = fit(method, to_items(moved, VoteForm::counts));
    EXPECT_EQ(a.parameters, b.parameters) << method;
  }
}

// Votes drawn with log-odds 0.6 u - 0.8: about four standard errors.
TEST(Platt, FindsAPlantedLine) {
  RandomStream rng(3, Purpose::demo);
  Simulated s;
  for (int i = 0; i < 20000; ++i) {
    const double u = 2 * rng.normal();
    s.z.push_back(1 / (1 + std::exp(-u)));
    s.votes.push_back({rng.uniform() < 1 / (1 + std::exp(-(0.6 * u - 0.8))) ? 1 : 0});
  }
  const Step step = fit("platt", to_items(s, VoteForm::labels));
  EXPECT_NEAR(values(step, "a")[0], 0.6, 0.05);
  EXPECT_NEAR(values(step, "b")[0], -0.8, 0.07);
}

TEST(Platt, SeparatedClassesAreSaid) {
  Simulated s;
  s.z = {0.1, 0.2, 0.7, 0.9};
  s.votes = {{0}, {0}, {1}, {1}};
  const Step step = fit("platt", to_items(s, VoteForm::labels));
  EXPECT_TRUE(step.fit.converged);
  ASSERT_FALSE(step.fit.warnings.empty());
  EXPECT_NE(step.fit.warnings.back().find("separate the classes"), std::string::npos);
}

// Against the votes a free fit has negative slopes; bounded ones end at 0 and the share of votes is left.
TEST(Beta, SlopesStayAtOrAboveZero) {
  Simulated s = simulate({.n = 400, .seed = 6});
  for (auto& v : s.votes) v[0] = 1 - v[0];
  const Step step = fit("beta", to_items(s, VoteForm::labels));
  EXPECT_EQ(values(step, "a")[0], 0);
  EXPECT_EQ(values(step, "b")[0], 0);
  double share = 0;
  for (const auto& v : s.votes) share += v[0] / 400.0;
  EXPECT_NEAR(values(step, "c")[0], std::log(share / (1 - share)), 1e-9);
  EXPECT_TRUE(step.fit.converged);
}

// With one slope at its bound no admissible small change lowers the objective.
TEST(Beta, ABoundIsOptimal) {
  int bounded = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    Simulated s = simulate({.n = 60, .sharpen = 3, .seed = seed});
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.z[i] < 0.5) s.votes[i][0] = static_cast<int>(i % 2);
    const Step step = fit("beta", to_items(s, VoteForm::labels));
    const auto u = test::naive_logits(s);
    const auto at = test::naive_objective(step, s, u);
    bounded += values(step, "a")[0] == 0 || values(step, "b")[0] == 0 ? 1 : 0;
    for (int a = -1; a <= 1; ++a)
      for (int b = -1; b <= 1; ++b)
        for (int c = -1; c <= 1; ++c) {
          Step near = step;
          near.parameters[0].values[0] = std::max(0.0, near.parameters[0].values[0] + 1e-3 * a);
          near.parameters[1].values[0] = std::max(0.0, near.parameters[1].values[0] + 1e-3 * b);
          near.parameters[2].values[0] += 1e-3 * c;
          EXPECT_GE(static_cast<double>(test::naive_objective(near, s, u) - at), -1e-14) << seed;
        }
  }
  EXPECT_GT(bounded, 0);  // otherwise the test is empty
}

TEST(Quadratic, SaysWhereItTurns) {
  Simulated s;
  RandomStream rng(3, Purpose::demo);
  for (int i = 0; i < 500; ++i) {
    const double u = 2 * rng.normal();
    s.z.push_back(1 / (1 + std::exp(-u)));
    s.votes.push_back({rng.uniform() < 1 / (1 + std::exp(1 - u * u / 2)) ? 1 : 0});
  }
  const Step step = fit("quadratic", to_items(s, VoteForm::labels));
  ASSERT_FALSE(step.fit.warnings.empty());
  EXPECT_NE(step.fit.warnings.back().find("turns at log-odds"), std::string::npos);
}

// Forecasts of exactly 0 and 1 that are mostly wrong begin where there is no curvature: a Newton step has no
// natural size there. The optimum is known: each of the two forecasts becomes the share of its votes.
TEST(Logistic, ForecastsOfZeroAndOneThatAreWrong) {
  for (const int wrong : {4, 5, 9, 10, 15}) {
    Simulated s;
    for (int i = 0; i < 32; ++i) {
      s.z.push_back(i % 2);
      s.votes.push_back({i / 2 < wrong ? 1 - i % 2 : i % 2});
    }
    const Step step = fit("platt", to_items(s, VoteForm::labels));
    EXPECT_TRUE(step.fit.converged) << wrong;
    const double u = std::log(1e12), share = 1 - wrong / 16.0;
    EXPECT_NEAR(values(step, "a")[0] * u + values(step, "b")[0], std::log(share / (1 - share)), 1e-5)
        << wrong;
    EXPECT_NO_THROW((void)fit("quadratic", to_items(s, VoteForm::labels)));
    EXPECT_NO_THROW((void)fit("beta", to_items(s, VoteForm::labels)));
  }
}

TEST(Logistic, TheTaskIsChecked) {
  const Items many = to_items(simulate({.n = 20, .classes = 3}), VoteForm::labels);
  const Items two = to_items(simulate({.n = 20}), VoteForm::labels);
  for (const char* f : {"platt", "beta", "quadratic"}) EXPECT_THROW((void)fit(f, many), InputError);
  for (const char* f : {"vector", "matrix"}) EXPECT_THROW((void)fit(f, two), InputError);
  EXPECT_EQ(fit("dirichlet", two, {}).method, "beta");
}

}  // namespace
}  // namespace plumb
