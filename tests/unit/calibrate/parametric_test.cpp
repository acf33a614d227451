// What every parametric method promises, checked for each of them.
#include <gtest/gtest.h>

#include <limits>

#include "parametric.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/simd.hpp"

namespace plumb {
namespace {

using test::expand;
using test::fit;
using test::naive_logits;
using test::naive_objective;
using test::Real;
using test::simulate;
using test::Simulated;
using test::to_items;
using test::VoteForm;

// Both sides reach the optimum to a gradient of 1e-11; what is left is its size over the least curvature.
constexpr double kSameFit = 1e-9;

struct Method {
  const char* name;
  int classes;
};
void PrintTo(const Method& m, std::ostream* out) { *out << m.name << m.classes; }

class Parametric : public testing::TestWithParam<Method> {
 protected:
  [[nodiscard]] Simulated data(int raters = 5, std::uint64_t seed = 11) const {
    Simulated s = simulate({.n = 400,
                            .classes = GetParam().classes,
                            .raters = raters,
                            .vary = raters > 1,
                            .sharpen = 1.7,
                            .seed = seed});
    if (s.classes == 2) return s;
    for (double& z : s.z) z = std::max(z, 1e-9);  // inside the clip, so that logits and probabilities agree
    return s;
  }
  [[nodiscard]] std::string name() const { return GetParam().name; }
};

void expect_same(const Step& a, const Step& b, double tolerance) {
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t p = 0; p < a.parameters.size(); ++p) {
    ASSERT_EQ(a.parameters[p].values.size(), b.parameters[p].values.size());
    for (std::size_t i = 0; i < a.parameters[p].values.size(); ++i) {
      EXPECT_NEAR(a.parameters[p].values[i], b.parameters[p].values[i],
                  tolerance * std::max(1.0, std::fabs(a.parameters[p].values[i])))
          << a.method << " " << a.parameters[p].name << "[" << i << "]";
    }
  }
}

TEST_P(Parametric, ObjectiveIsTheOneOfTheContract) {
  const Simulated s = data();
  const Step step = fit(name(), to_items(s, VoteForm::counts));
  EXPECT_NEAR(step.fit.objective, static_cast<double>(naive_objective(step, s, naive_logits(s))), 1e-11);
  EXPECT_TRUE(step.fit.converged);
  EXPECT_LE(step.fit.gradient_norm, 1e-6);
  EXPECT_EQ(step.fit.items, 400);
  EXPECT_EQ(step.method, name());
}

// No direction leads down: the centred difference of the objective in every parameter is 0 to the error of
// the difference, and the objective rises on both sides.
TEST_P(Parametric, FiniteDifferencesVanishAtTheSolution) {
  const Simulated s = data();
  const auto u = naive_logits(s);
  const Step step = fit(name(), to_items(s, VoteForm::ratings));
  constexpr double kReach = 1e-4;
  constexpr double kSlope = 1e-6;  // the promise; the difference itself errs by about kReach^2
  const bool first_stage = name() == "ets" || name().starts_with("structured");
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const std::string& what = step.parameters[p].name;
    if (first_stage && what == "T") continue;  // fitted before, by itself
    if (name() == "ets") continue;             // on the simplex: see ets_test
    for (std::size_t i = 0; i < step.parameters[p].values.size(); ++i) {
      if (what == "M" && i % (static_cast<std::size_t>(s.classes) + 1) == 0) continue;
      Step up = step, down = step;
      up.parameters[p].values[i] += kReach;
      down.parameters[p].values[i] -= kReach;
      const Real at = naive_objective(step, s, u), above = naive_objective(up, s, u),
                 below = naive_objective(down, s, u);
      EXPECT_NEAR(static_cast<double>((above - below) / (2 * kReach)), 0, kSlope)
          << name() << " " << what << i;
      EXPECT_GE(static_cast<double>(above + below - 2 * at), 0) << name() << " " << what << i;
    }
  }
}

TEST_P(Parametric, NeverWorseThanTheIdentityOnItsOwnData) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    for (const std::int64_t n : {8, 60}) {
      const Simulated s = simulate({.n = n, .classes = GetParam().classes, .raters = 2, .seed = seed});
      const Step step = fit(name(), to_items(s, VoteForm::counts));
      Step none;
      none.method = "none";
      const auto u = naive_logits(s);
      EXPECT_LE(static_cast<double>(naive_objective(step, s, u, false)),
                static_cast<double>(naive_objective(none, s, u, false)) + 1e-9)
          << name() << " n " << n << " seed " << seed;
    }
  }
}

TEST_P(Parametric, CountsAreTheirSingleLabels) {
  const Simulated s = data();
  const Step counts = fit(name(), to_items(s, VoteForm::counts));
  expect_same(counts, fit(name(), to_items(expand(s), VoteForm::labels)), kSameFit);
  expect_same(counts, fit(name(), to_items(s, VoteForm::ratings)), 0);
}

TEST_P(Parametric, WeightTwoIsTheRowTwice) {
  Simulated s = data(1);
  std::vector<std::size_t> rows;
  s.weight.assign(s.size(), 1.0);
  for (std::size_t i = 0; i < s.size(); ++i) {
    rows.push_back(i);
    if (i % 3 != 0) continue;
    s.weight[i] = 2;
    rows.push_back(i);
  }
  Simulated twice = take(s, rows);
  twice.weight.clear();
  const Step weighted = fit(name(), to_items(s, VoteForm::labels));
  expect_same(weighted, fit(name(), to_items(twice, VoteForm::labels)), kSameFit);
  EXPECT_EQ(weighted.fit.votes, 400);
}

TEST_P(Parametric, ItemsWithoutVotesOrWeightCountNowhere) {
  Simulated s = data(2);
  s.weight.assign(s.size(), 1.0);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (i % 7 == 0) s.votes[i].clear();
    if (i % 7 == 1) s.weight[i] = 0;
    if (i % 7 > 1) kept.push_back(i);
  }
  const Step all = fit(name(), to_items(s, VoteForm::counts));
  expect_same(all, fit(name(), to_items(take(s, kept), VoteForm::counts)), 1e-12);
  EXPECT_EQ(all.fit.items, static_cast<std::int64_t>(kept.size()));
  ASSERT_FALSE(all.fit.warnings.empty());
  EXPECT_NE(all.fit.warnings.front().find("without votes"), std::string::npos);
}

TEST_P(Parametric, ThreadsAndSimdTargetsKeepTheBits) {
  const Simulated s = simulate({.n = 3000, .classes = GetParam().classes, .raters = 2, .sharpen = 1.5});
  const Items items = to_items(s, VoteForm::counts);
  const Step one = fit(name(), items, {.threads = 1});
  for (const int threads : {2, 7}) expect_same(one, fit(name(), items, {.threads = threads}), 0);
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    expect_same(one, fit(name(), items, {.threads = 1}), 0);
  }
  force_simd_target("");
}

TEST_P(Parametric, TheMapIsTheFormula) {
  const Simulated s = data(2);
  const Items items = to_items(s, VoteForm::counts);
  const Step step = fit(name(), items);
  CalibrationModel model;
  model.classes = s.classes;
  model.steps = {step};
  PredictionBlock out;
  Pipeline(model).apply(items.predictions, 3, 90, out);
  const auto u = naive_logits(s);
  const auto k = static_cast<std::size_t>(s.classes);
  for (std::size_t i = 3; i < 90; ++i) {
    const auto z = test::naive_map(step, {u.begin() + static_cast<std::ptrdiff_t>(i * k),
                                          u.begin() + static_cast<std::ptrdiff_t>((i + 1) * k)});
    if (k == 2) {
      EXPECT_NEAR(out.z[i - 3], static_cast<double>(z[1]), 1e-12);
      continue;
    }
    for (std::size_t c = 0; c < k; ++c) EXPECT_NEAR(out.z[(i - 3) * k + c], static_cast<double>(z[c]), 1e-12);
  }
}

// Methods that do not depend on a shift of the logits give one answer for logits and for their softmax.
TEST_P(Parametric, LogitsAndProbabilitiesAgree) {
  const Simulated s = data();
  const Step from_z = fit(name(), to_items(s, VoteForm::counts));
  const Step from_u = fit(name(), test::logit_items(s, VoteForm::counts));
  const bool shift_matters = name() == "vector" || name() == "matrix";
  if (!shift_matters) expect_same(from_z, from_u, 1e-7);
  EXPECT_TRUE(from_u.fit.converged);
}

TEST_P(Parametric, NothingToFitOnIsRefused) {
  Simulated s = data(1);
  s.weight.assign(s.size(), 0.0);
  EXPECT_THROW((void)fit(name(), to_items(s, VoteForm::labels)), InputError);
  Items no_votes = to_items(data(1), VoteForm::labels);
  no_votes.votes = Votes();
  EXPECT_THROW((void)fit(name(), no_votes), InputError);
  s.weight.clear();
  for (auto& v : s.votes) v.clear();
  EXPECT_THROW((void)fit(name(), to_items(s, VoteForm::counts)), InputError);
  s = data(1);
  s.weight.assign(s.size(), 1.0);
  s.weight[5] = -1;
  EXPECT_THROW((void)fit(name(), to_items(s, VoteForm::labels)), InputError);
}

// One item, one class, probabilities of exactly 0 and 1, and logits of 1e30:
// finite parameters and a map that gives probabilities.
TEST_P(Parametric, DegenerateDataGiveFiniteNumbers) {
  const int k = GetParam().classes;
  std::vector<Simulated> cases;
  cases.push_back(simulate({.n = 1, .classes = k}));
  Simulated one_class = simulate({.n = 50, .classes = k});
  for (auto& v : one_class.votes) v = {1};
  cases.push_back(one_class);
  Simulated sure = simulate({.n = 50, .classes = k});
  for (std::size_t i = 0; i < sure.z.size(); ++i)
    sure.z[i] =
        k == 2 ? static_cast<double>(i % 2) : static_cast<double>(i % static_cast<std::size_t>(k) == 0);
  cases.push_back(sure);
  Simulated flat = simulate({.n = 50, .classes = k});
  for (double& z : flat.z) z = 1.0 / k;
  cases.push_back(flat);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Items items = to_items(cases[c], VoteForm::counts);
    const Step step = fit(name(), items);
    const Items out = calibrated(items, {.classes = k, .steps = {step}}, 1);
    PredictionBlock z;
    out.predictions.read(0, out.size(), z);  // throws unless they are probabilities
    for (const Parameter& p : step.parameters)
      for (const double x : p.values)
        EXPECT_TRUE(std::isfinite(x)) << name() << " case " << c << " " << p.name;
    if (c == 2) {
      bool counted = false;
      for (const std::string& w : step.fit.warnings)
        counted |= w.find("clipped at 1e-12") != std::string::npos;
      EXPECT_TRUE(counted) << name();
    }
    if (c == 1) {
      bool said = false;
      for (const std::string& w : step.fit.warnings) said |= w.find("no vote") != std::string::npos;
      EXPECT_TRUE(said) << name();
    }
  }
  Simulated s = simulate({.n = 50, .classes = k});
  Items huge = test::logit_items(s, VoteForm::counts);
  std::vector<double> u(s.z.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = i % 3 == 0 ? 1e30 : i % 5 == 0 ? -1e30 : s.z[i];
  const std::vector<std::int64_t> shape =
      k == 2 ? std::vector<std::int64_t>{50} : std::vector<std::int64_t>{50, k};
  huge.predictions = Predictions({Rows(array_of(u, shape, "huge.npy"))}, Scale::logit);
  const Step step = fit(name(), huge);
  for (const Parameter& p : step.parameters)
    for (const double x : p.values) EXPECT_TRUE(std::isfinite(x)) << name() << " " << p.name;
  u[7] = 1e31;
  huge.predictions = Predictions({Rows(array_of(u, shape, "huge.npy"))}, Scale::logit);
  EXPECT_THROW((void)fit(name(), huge), InputError);
  u[7] = -std::numeric_limits<double>::infinity();
  huge.predictions = Predictions({Rows(array_of(u, shape, "huge.npy"))}, Scale::logit);
  EXPECT_THROW((void)fit(name(), huge), InputError);
}

INSTANTIATE_TEST_SUITE_P(Methods, Parametric,
                         testing::Values(Method{"temperature", 2}, Method{"temperature", 5},
                                         Method{"vector", 5}, Method{"matrix", 5}, Method{"dirichlet", 5},
                                         Method{"platt", 2}, Method{"beta", 2}, Method{"quadratic", 2},
                                         Method{"ets", 2}, Method{"ets", 5}, Method{"structured-vector", 2},
                                         Method{"structured-vector", 5}, Method{"structured-matrix", 2},
                                         Method{"structured-matrix", 5}));

}  // namespace
}  // namespace plumb
