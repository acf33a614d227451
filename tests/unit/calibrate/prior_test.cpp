// The prior of pseudo-votes: its objective, and the fits that cannot do without it.
#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/temperature.hpp"
#include "parametric.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/model.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using test::fit;
using test::Real;
using test::simulate;
using test::Simulated;
using test::to_items;
using test::VoteForm;

// (c/n) sum_i sum_k t_ik (-log q_ik) per vote, t = (n z + 1/K)/(n + 1), each item as often as it has votes.
Real naive_prior(const Step& step, const Simulated& data, const std::vector<double>& logits, Real c) {
  const auto k = static_cast<std::size_t>(data.classes);
  Real n = 0, sum = 0;
  const auto mass = [&](std::size_t i) {
    return static_cast<Real>(data.votes[i].size()) * (data.weight.empty() ? 1 : data.weight[i]);
  };
  for (std::size_t i = 0; i < data.size(); ++i) n += mass(i);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::vector<Real> u(logits.begin() + static_cast<std::ptrdiff_t>(i * k),
                              logits.begin() + static_cast<std::ptrdiff_t>((i + 1) * k));
    const auto q = test::naive_map(step, u), z = test::softmax(u);
    for (std::size_t j = 0; j < k; ++j)
      sum -= mass(i) * (n * z[j] + Real{1} / static_cast<Real>(k)) / (n + 1) * std::log(q[j]);
  }
  return c / n * sum / n;
}

double option(const Step& step, const std::string& name) {
  for (const auto& [key, value] : step.fit.options)
    if (key == name) return std::get<double>(value);
  return std::nan("");
}

bool warns(const Step& step, const std::string& of) {
  for (const std::string& w : step.fit.warnings)
    if (w.find(of) != std::string::npos) return true;
  return false;
}

// The reported objective is the naive one, and no small change of a parameter lowers that.
TEST(Prior, ObjectiveIsTheNaiveOne) {
  for (const int k : {2, 4}) {
    for (const char* method : {"temperature", "vector", "matrix", "dirichlet", "platt", "beta", "quadratic",
                               "structured-vector", "structured-matrix", "ets"}) {
      if (!find_calibrator(method)->serves(k) || (k == 2 && std::string(method) == "dirichlet")) continue;
      SCOPED_TRACE(std::string(method) + ", " + std::to_string(k));
      const Simulated s = simulate({.n = 80, .classes = k, .raters = 3, .vary = true, .sharpen = 2});
      const auto u = test::naive_logits(s);
      for (const double c : {0.5, 5.0, 40.0}) {
        const Step step = fit(method, to_items(s, VoteForm::counts), {.prior_votes = c});
        EXPECT_TRUE(step.fit.converged);
        EXPECT_EQ(option(step, "prior_votes"), c);
        const Real least = test::naive_objective(step, s, u) + naive_prior(step, s, u, c);
        EXPECT_NEAR(static_cast<double>(least), step.fit.objective, 1e-9);
        for (std::size_t p = 0; p < step.parameters.size(); ++p) {
          // T of the methods in two stages is the best by itself; weights stay on their simplex.
          if (step.parameters.size() > 1 && step.parameters[p].name == "T") continue;
          if (step.parameters[p].name == "w") continue;
          for (std::size_t v = 0; v < step.parameters[p].values.size(); ++v)
            for (const double h : {1e-3, -1e-3}) {
              Step moved = step;
              if (moved.parameters[p].name == "M" && v % (static_cast<std::size_t>(k) + 1) == 0) continue;
              moved.parameters[p].values[v] += h;
              EXPECT_GE(static_cast<double>(test::naive_objective(moved, s, u) + naive_prior(moved, s, u, c)),
                        static_cast<double>(least) - 1e-12);
            }
        }
      }
    }
  }
}

TEST(Prior, AHeavyPriorLeavesThePredictions) {
  const Simulated s = simulate({.n = 5000, .classes = 3, .sharpen = 3});
  const Step step = fit("temperature", to_items(s, VoteForm::labels), {.prior_votes = 1e7});
  EXPECT_NEAR(test::values(step, "T")[0], 1, 0.02);  // not quite: 1/(n + 1) of it is uniform
}

Simulated separable(int n) {
  Simulated s;
  for (int i = 0; i < n; ++i) {
    s.z.push_back(i % 2 == 0 ? 0.2 : 0.8);
    s.votes.push_back({i % 2});
  }
  return s;
}

std::vector<double> calibrated_z(const Step& step, const Items& items) {
  PredictionBlock out;
  Pipeline(model_of(step, items.classes())).apply(items.predictions, 0, items.size(), out);
  return out.z;
}

// 40 items that the scores separate: every method by name is finite, says so and states the prior.
TEST(Prior, SeparableItemsAreFittedWithIt) {
  const Items items = to_items(separable(40), VoteForm::labels);
  for (const char* method :
       {"temperature", "platt", "beta", "quadratic", "ets", "structured-vector", "structured-matrix"}) {
    SCOPED_TRACE(method);
    const Step step = fit(method, items);
    EXPECT_TRUE(warns(step, "prior of 5 pseudo-votes"));
    EXPECT_EQ(option(step, "prior_votes"), kPriorVotes);
    for (const double z : calibrated_z(step, items)) {
      EXPECT_GT(z, 1e-4);
      EXPECT_LT(z, 1 - 1e-4);
    }
  }
  EXPECT_GT(test::values(fit("temperature", items), "T")[0], 0.1);
}

TEST(Prior, SeparableRowsOfThreeClasses) {
  Simulated s;
  s.classes = 3;
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 3; ++k) s.z.push_back(i % 3 == k ? 0.6 : 0.2);
    s.votes.push_back({i % 3});
  }
  const Items items = to_items(s, VoteForm::labels);
  for (const char* method : {"temperature", "vector", "matrix", "dirichlet"}) {
    SCOPED_TRACE(method);
    const Step step = fit(method, items);
    EXPECT_EQ(option(step, "prior_votes"), kPriorVotes);
    for (const double z : calibrated_z(step, items)) EXPECT_GT(z, 1e-5);
  }
}

TEST(Prior, AClassWithoutVotesStaysPossible) {
  Simulated s = simulate({.n = 150, .classes = 4, .sharpen = 2});
  for (auto& votes : s.votes)
    if (votes[0] == 3) votes = {2};
  const Items items = to_items(s, VoteForm::labels);
  for (const char* method : {"vector", "matrix", "dirichlet"}) {
    SCOPED_TRACE(method);
    const Step step = fit(method, items);
    EXPECT_TRUE(warns(step, "A class has no vote, so the objective has no finite optimum"));
    double most = 0;
    const auto z = calibrated_z(step, items);
    for (std::size_t i = 3; i < z.size(); i += 4) {
      EXPECT_GT(z[i], 0);
      most = std::max(most, z[i]);
    }
    EXPECT_GT(most, 1e-3);
  }
  // One number for all classes cannot rule one out.
  EXPECT_EQ(option(fit("temperature", items), "prior_votes"), 0);
}

TEST(Prior, APlainOptimumIsLeftAlone) {
  for (const int k : {2, 3}) {
    const Items items = to_items(simulate({.n = 200, .classes = k, .sharpen = 2}), VoteForm::labels);
    for (const CalibratorRow& row : calibrators()) {
      if (!row.serves(k) || !row.uses("prior_votes") || row.method == "auto") continue;
      const Step step = fit(std::string(row.method), items);
      EXPECT_EQ(option(step, "prior_votes"), 0) << row.method;
      EXPECT_EQ(step.parameters, row.fit(items, {}).parameters) << row.method;
      EXPECT_FALSE(warns(step, "pseudo-votes")) << row.method;
    }
  }
}

TEST(Prior, WrongNumbersAndMethodsAreRefused) {
  EXPECT_THROW(check_fit_options("platt", {.prior_votes = -1}), InputError);
  EXPECT_THROW(check_fit_options("platt", {.prior_votes = std::nan("")}), InputError);
  EXPECT_THROW(check_fit_options("isotonic", {.prior_votes = 5}), InputError);
  EXPECT_NO_THROW(check_fit_options("auto", {.prior_votes = 5}));
}

}  // namespace
}  // namespace plumb
