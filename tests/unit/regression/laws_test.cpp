// What must hold on average over simulated data.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/regression/evaluate.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

double metric(const Result& r, const std::string& key) {
  for (const auto& [k, m] : r.metrics)
    if (k == key) return m.value.value_or(NAN);
  return NAN;
}

TEST(RegressionLaws, CoverageOfAPerfectPredictorIsBinomial) {
  for (const int d : {1, 2, 6}) {
    const std::int64_t n = 60000 / d;
    const Result r = evaluate_regression(
        simulate({.n = n, .outputs = d, .seed = 20u + static_cast<unsigned>(d)}).items(), {});
    for (const auto& [key, level] : {std::pair{"coverage_50", 0.5},
                                     {"coverage_90", 0.9},
                                     {"coverage_95", 0.95},
                                     {"coverage_99", 0.99}}) {
      const double se = std::sqrt(level * (1 - level) / static_cast<double>(n * d));
      EXPECT_NEAR(metric(r, key), level, 4 * se) << key << " d=" << d;
    }
    EXPECT_NEAR(metric(r, "zms"), 1, 4 * std::sqrt(2.0 / static_cast<double>(n * d))) << d;
  }
}

TEST(RegressionLaws, UceOfAPerfectPredictorFallsAsTheRootOfTheItems) {
  // Each tenfold of items must divide the mean UCE by about sqrt(10). The range is fixed, for the largest
  // variance of a lognormal sample grows with its size.
  std::vector<double> mean;
  for (const std::int64_t n : {1000, 10000, 100000}) {
    const int repeats = n == 100000 ? 6 : 20;
    double sum = 0;
    for (int r = 0; r < repeats; ++r)
      sum += metric(evaluate_regression(simulate({.n = n, .seed = 100u + static_cast<unsigned>(r)}).items(),
                                        {.metrics = {"uce"}, .range = RegressionRange{0, 1}}),
                    "uce");
    mean.push_back(sum / repeats);
  }
  EXPECT_NEAR(mean[0] / mean[1], std::sqrt(10.0), 0.8) << mean[0] << " " << mean[1];
  EXPECT_NEAR(mean[1] / mean[2], std::sqrt(10.0), 0.8) << mean[1] << " " << mean[2];
}

TEST(RegressionLaws, BootstrapIntervalsCover) {
  // 95% percentile intervals of the mean squared z-score, whose true value is 1.
  int inside = 0;
  const int runs = 300;
  for (int r = 0; r < runs; ++r) {
    const Result result =
        evaluate_regression(simulate({.n = 400, .seed = 1000u + static_cast<unsigned>(r)}).items(),
                            {.metrics = {"zms"}, .bootstrap = 200, .seed = static_cast<std::uint64_t>(r)});
    const MetricResult& m = result.metrics[0].second;
    inside += static_cast<int>(*m.low <= 1 && 1 <= *m.high);
  }
  const double share = inside / static_cast<double>(runs);
  EXPECT_GT(share, 0.90) << share;  // 0.95 less three binomial errors and the skew of a small sample
  EXPECT_LT(share, 0.99) << share;
}

TEST(RegressionLaws, NllAndCrpsAreProper) {
  // The expected score is least for the variance that generated the data.
  for (const double factor : {0.7, 0.85, 1.2, 1.5}) {
    const RegressionSpec spec{.n = 40000, .factor = factor, .seed = 9};
    SimulatedRegression wrong = simulate(spec), right = wrong;
    for (double& v : right.variance) v *= factor * factor;
    const Result a = evaluate_regression(wrong.items(), {.metrics = {"nll", "crps"}});
    const Result b = evaluate_regression(right.items(), {.metrics = {"nll", "crps"}});
    EXPECT_GT(metric(a, "nll"), metric(b, "nll")) << factor;
    EXPECT_GT(metric(a, "crps"), metric(b, "crps")) << factor;
  }
}

}  // namespace
}  // namespace plumb::test
