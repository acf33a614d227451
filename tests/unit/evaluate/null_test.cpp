// Law: the p-values of calibrated models are right. At the 5% level a calibrated model is rejected in 3% to
// 8% of runs, for single labels, for several dependent votes per item, and for groups whose outcomes move
// together.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "plumb/evaluate/evaluate.hpp"
#include "plumb/numeric/parallel.hpp"
#include "support/make_items.hpp"
#include "support/repetitions.hpp"

namespace plumb::test {
namespace {

constexpr int kWhole = 800;  // standard error of a rejection rate of 5%: 0.8%
const int kRuns = repetitions(kWhole, 200);
const double kLowest = widened(0.03, 0.05, kWhole, kRuns);
const double kHighest = widened(0.08, 0.05, kWhole, kRuns);
const std::vector<std::string> kKeys = {"ece",           "ece_l2",    "mce",      "ece_mass",
                                        "mce_mass",      "ece_sweep", "ks",       "ece_l2_debiased",
                                        "ece_classwise", "mmce",      "mmce_top", "cl_plugin"};

template <class Make>
std::map<std::string, double> rejection_rates(Make make) {
  std::vector<std::vector<int>> rejected(kRuns, std::vector<int>(kKeys.size()));
  parallel_blocks(kRuns, 1, 0, [&](int, std::int64_t run, std::int64_t) {
    EvaluateOptions o;
    o.metrics = kKeys;
    o.bootstrap = 99;
    o.threads = 1;
    o.bins = 10;
    o.consensus = false;
    o.seed = static_cast<std::uint64_t>(run) + 1000;
    const Result r = evaluate(make(static_cast<std::uint64_t>(run)), o);
    for (const auto& [key, m] : r.metrics)
      for (std::size_t k = 0; k < kKeys.size(); ++k)
        if (kKeys[k] == key) rejected[static_cast<std::size_t>(run)][k] = *m.p_value <= 0.05;
  });
  std::map<std::string, double> rate;
  for (const auto& run : rejected)
    for (std::size_t k = 0; k < kKeys.size(); ++k) rate[kKeys[k]] += run[k] / static_cast<double>(kRuns);
  return rate;
}

void expect_right(const std::map<std::string, double>& rates) {
  for (const auto& [key, rate] : rates) {
    EXPECT_GE(rate, kLowest) << key;
    EXPECT_LE(rate, kHighest) << key;
  }
}

TEST(Null, SingleLabels) {
  expect_right(rejection_rates(
      [](std::uint64_t run) { return to_items(simulate({.n = 200, .seed = 100 + run}), VoteForm::labels); }));
}

TEST(Null, SingleLabelsFourClasses) {
  auto rates = rejection_rates([](std::uint64_t run) {
    return to_items(simulate({.n = 300, .classes = 4, .seed = 20000 + run}), VoteForm::labels);
  });
  // The least confident cell holds an item or two, whose gap takes few values: ties with the observed one
  // make the p-value of the largest gap err on the safe side.
  EXPECT_LE(rates["mce"], kHighest);
  rates.erase("mce");
  expect_right(rates);
}

TEST(Null, SeveralDependentVotes) {
  expect_right(rejection_rates([](std::uint64_t run) {
    return to_items(simulate({.n = 200, .raters = 6, .vary = true, .heterogeneity = 1, .seed = 40000 + run}),
                    VoteForm::counts);
  }));
}

TEST(Null, GroupsThatMoveTogether) {
  expect_right(rejection_rates([](std::uint64_t run) {
    Simulated s = simulate({.n = 400, .groups = 100, .seed = 60000 + run});
    // One uniform number decides the outcomes of a whole group: calibrated, and far from independent.
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double u = random_uniform(run, Purpose::kDemo, 5, static_cast<std::uint64_t>(s.group[i]));
      s.votes[i] = {u < s.z[i] ? 1 : 0};
    }
    return to_items(s, VoteForm::labels);
  }));
}

TEST(Null, AnOverconfidentModelIsFound) {
  EvaluateOptions o;
  o.metrics = {"ece", "ks"};
  o.bootstrap = 199;
  const Result r = evaluate(to_items(simulate({.n = 2000, .sharpen = 2.5, .seed = 9}), VoteForm::labels), o);
  for (const auto& [key, m] : r.metrics) {
    EXPECT_DOUBLE_EQ(*m.p_value, 1.0 / 200) << key;
    EXPECT_GT(*m.value, 2 * *m.null_mean) << key;
    EXPECT_GT(*m.low, 0) << key;
  }
}

}  // namespace
}  // namespace plumb::test
