#include "plumb/calibrate/risk_control.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/calibrate/sets.hpp"
#include "plumb/data/check.hpp"
#include "support/make_items.hpp"
#include "support/repetitions.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

constexpr double kGrid = 65536;

/// Voxels of so many cases; each case has a level of its own.
Simulated voxels(int cases, int each, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 66);
  Simulated s;
  for (int c = 0; c < cases; ++c) {
    const double own = rng.normal();
    for (int v = 0; v < each; ++v) {
      const double u = rng.normal() - 1;
      s.z.push_back(1 / (1 + std::exp(-u)));
      std::vector<int> votes;
      for (int r = 0; r < 2; ++r) votes.push_back(rng.uniform() < 1 / (1 + std::exp(-u - own)) ? 1 : 0);
      s.votes.push_back(votes);
      s.group.push_back(c);
    }
  }
  return s;
}

/// Share of the votes for class 1 of each case that lie below the threshold.
std::vector<double> misses(const Simulated& s, int cases, double t) {
  std::vector<double> missed(cases), all(cases), out;
  for (std::size_t i = 0; i < s.size(); ++i)
    for (const int v : s.votes[i]) {
      all[s.group[i]] += v;
      missed[s.group[i]] += v == 1 && s.z[i] < t ? 1 : 0;
    }
  for (int c = 0; c < cases; ++c) out.push_back(all[c] > 0 ? missed[c] / all[c] : 0);
  return out;
}

double sum_of(const std::vector<double>& x) {
  double out = 0;
  for (const double v : x) out += v;
  return out;
}

TEST(RiskControl, ThresholdIsTheLargestThatMeetsTheCondition) {
  const Simulated s = voxels(30, 40, 1);
  RiskControl control;
  control.add_groups(to_items(s, VoteForm::counts));
  EXPECT_EQ(control.cases(), 30);
  const std::vector<double> levels{0.5, 0.8, 0.9};
  const Step step = control.step(levels);
  const auto thresholds = vector_parameter(step, "threshold");
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const double t = thresholds[l], most = (1 - levels[l]) * 31 - 1;
    EXPECT_EQ(t * kGrid, std::floor(t * kGrid));
    EXPECT_LE(sum_of(misses(s, 30, t)), most + 1e-8);
    EXPECT_GT(sum_of(misses(s, 30, t + 1 / kGrid)), most - 1e-6);
  }
}

TEST(RiskControl, CasesOneByOneAreGroups) {
  const Simulated s = voxels(20, 30, 2);
  RiskControl together, apart;
  together.add_groups(to_items(s, VoteForm::ratings));
  for (int c = 19; c >= 0; --c) {  // in any order
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.group[i] == c) rows.push_back(i);
    apart.add_case(to_items(take(s, rows), VoteForm::ratings));
  }
  EXPECT_EQ(together.step({0.7, 0.9}).parameters, apart.step({0.7, 0.9}).parameters);
}

TEST(RiskControl, MasksAreSetsOfOneClass) {
  const Simulated s = voxels(20, 30, 3);
  const Items items = to_items(s, VoteForm::counts);
  RiskControl control;
  control.add_groups(items);
  CalibrationModel model;
  model.task = "binary";
  model.classes = 2;
  model.steps = {control.step({0.6, 0.9})};
  const auto thresholds = vector_parameter(model.steps.back(), "threshold");
  ASSERT_EQ(set_levels(model).size(), 2u);
  apply_sets(model, items.predictions, {}, 2, [&](std::int64_t begin, std::span<const double> rows) {
    for (std::size_t i = 0; i < rows.size() / 4; ++i)
      for (int l = 0; l < 2; ++l) {
        EXPECT_EQ(rows[(i * 2 + l) * 2 + 1], s.z[begin + i] >= thresholds[l] ? 1 : 0);
        EXPECT_EQ(rows[(i * 2 + l) * 2], 1 - rows[(i * 2 + l) * 2 + 1]);
      }
  });
}

TEST(RiskControl, TooFewCasesMarkEverything) {
  const Simulated s = voxels(5, 30, 4);
  RiskControl control;
  control.add_groups(to_items(s, VoteForm::counts));
  const Step step = control.step({0.5, 0.9});
  EXPECT_GT(vector_parameter(step, "threshold")[0], 0);
  EXPECT_EQ(vector_parameter(step, "threshold")[1], 0);  // 1/6 > 0.1
  ASSERT_EQ(step.fit.warnings.size(), 1u);
  EXPECT_NE(step.fit.warnings[0].find("few cases"), std::string::npos);
}

TEST(RiskControl, RefusesWhatItIsNotAbout) {
  RiskControl control;
  EXPECT_THROW(control.add_case(to_items(test::simulate({.n = 9, .classes = 3}), VoteForm::labels)),
               InputError);
  Simulated weighted = voxels(3, 3, 5);
  weighted.weight.assign(9, 1.0);
  EXPECT_THROW(control.add_groups(to_items(weighted, VoteForm::counts)), InputError);
  Simulated none = voxels(3, 3, 6);
  for (auto& v : none.votes) v = {0};
  control.add_groups(to_items(none, VoteForm::counts));
  EXPECT_THROW((void)control.step({0.9}), InputError);
  EXPECT_THROW((void)control.step({1.0}), InputError);
}

// The promise: on average over cases and fits, a new case's mask finds at least the level.
TEST(RiskControl, NewCasesAreFound) {
  const int runs = test::repetitions(2000, 200);
  double missed = 0, squares = 0;
  for (int run = 0; run < runs; ++run) {
    const Simulated s = voxels(19, 25, 100 + run), fresh = voxels(20, 25, 900000 + run);
    RiskControl control;
    control.add_groups(to_items(s, VoteForm::counts));
    const double t = vector_parameter(control.step({0.8}), "threshold")[0],
                 m = sum_of(misses(fresh, 20, t)) / 20;
    missed += m / runs;
    squares += m * m / runs;
  }
  const double error = std::sqrt((squares - missed * missed) / runs);
  EXPECT_LT(missed, 0.2 + 4 * error);
  EXPECT_GT(missed, 0.2 - 2.0 / 20 - 4 * error);  // the price of finite samples is at most 2/(n + 1)
}

}  // namespace
}  // namespace plumb
