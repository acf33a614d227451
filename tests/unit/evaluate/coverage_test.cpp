// Law: intervals contain the true value about as often as they say: for means and rankings, and for
// calibration errors that are well away from zero (near zero no method covers well; docs/concepts.md
// says so).
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "plumb/evaluate/evaluate.hpp"
#include "plumb/numeric/parallel.hpp"
#include "support/make_items.hpp"
#include "support/repetitions.hpp"

namespace plumb::test {
namespace {

constexpr int kWhole = 400;  // standard error of a coverage of 95%: 1.1%
const int kRuns = repetitions(kWhole, 200);
const double kLowest = widened(0.91, 0.95, kWhole, kRuns);
const double kHighest = widened(0.985, 0.95, kWhole, kRuns);

std::map<std::string, double> truth_of(const SimulateOptions& o, const std::vector<std::string>& keys,
                                       VoteForm form) {
  SimulateOptions big = o;
  big.n = 400'000;
  big.seed = 999;
  EvaluateOptions e;
  e.metrics = keys;
  e.consensus = false;
  std::map<std::string, double> out;
  for (const auto& [key, m] : evaluate(to_items(simulate(big), form), e).metrics) out[key] = *m.value;
  return out;
}

void expect_coverage(const SimulateOptions& o, const std::vector<std::string>& keys, VoteForm form) {
  const auto truth = truth_of(o, keys, form);
  std::vector<std::map<std::string, int>> held(kRuns);
  parallel_blocks(kRuns, 1, 0, [&](int, std::int64_t run, std::int64_t) {
    EvaluateOptions e;
    e.metrics = keys;
    e.bootstrap = 200;
    e.threads = 1;
    e.consensus = false;
    e.seed = static_cast<std::uint64_t>(run);
    SimulateOptions mine = o;
    mine.seed = 5000 + static_cast<std::uint64_t>(run);
    for (const auto& [key, m] : evaluate(to_items(simulate(mine), form), e).metrics)
      held[static_cast<std::size_t>(run)][key] = *m.low <= truth.at(key) && truth.at(key) <= *m.high;
  });
  for (const std::string& key : keys) {
    double share = 0;
    for (auto& run : held) share += run[key] / static_cast<double>(kRuns);
    EXPECT_GE(share, kLowest) << key;
    EXPECT_LE(share, kHighest) << key;
  }
}

TEST(Coverage, MeansAndRankings) {
  expect_coverage({.n = 400, .sharpen = 1.5}, {"accuracy", "brier", "nll", "auroc"}, VoteForm::labels);
}

TEST(Coverage, SeveralDependentVotes) {
  expect_coverage({.n = 400, .classes = 3, .raters = 4, .sharpen = 1.5, .heterogeneity = 2},
                  {"agreement", "brier", "nll"}, VoteForm::counts);
}

TEST(Coverage, CalibrationErrorsAwayFromZero) {
  expect_coverage({.n = 2000, .sharpen = 4}, {"ece"}, VoteForm::labels);
}

}  // namespace
}  // namespace plumb::test
