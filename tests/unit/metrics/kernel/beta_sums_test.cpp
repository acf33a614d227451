#include "plumb/metrics/kernel/beta_sums.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "plumb/metrics/kernel/beta_plan.hpp"
#include "plumb/metrics/kernel/forecast_pass.hpp"
#include "plumb/numeric/simd.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

using reference::column;
using reference::outcomes;

BetaSums sums_of(const ForecastsView& f, const BetaBoxes& boxes, int threads = 1) {
  return beta_sums(pass_over(f, threads), boxes);
}

TEST(BetaSums, MergeEqualsOnePassForAnyOrderAndThreads) {
  for (const std::string& kind : reference::hostile()) {
    const std::vector<double> p = column(kind, 20000, 3), y = outcomes(p, 3);
    const BetaBoxes boxes(0.01, 1e-10);
    const BetaSums one = sums_of({p, y, {}, {}, {}, true}, boxes);
    const auto order = reference::shuffled(p.size(), 5);
    const std::vector<double> p2 = reference::gathered(p, order), y2 = reference::gathered(y, order);
    const ForecastsView g{p2, y2, {}, {}, {}, true};
    EXPECT_EQ(one, sums_of(g, boxes, 4)) << kind;
    BetaSums merged(boxes);
    for (std::size_t begin = 0; begin < 20000; begin += 4000)
      merged.merge(sums_of(g.slice(begin, 4000), boxes));
    EXPECT_EQ(one, merged) << kind;
    EXPECT_EQ(one.weight().value(), 20000.0);
  }
}

TEST(BetaSums, KnowTheVotesNearestToTheEnds) {
  const std::vector<double> p{0.0, 0.2, 1.0, 0.1, 0.1, 0.0, 0.9}, y{1, 0, 1, 1, 0, 0, 1},
      w{1, 2, 3, 4, 5, 6, 7};
  const BetaSums s = sums_of({p, y, {}, w, {}, true}, BetaBoxes(0.1, 1e-10));
  EXPECT_EQ(s.at_zero.w.value(), 7.0);
  EXPECT_EQ(s.at_zero.wy.value(), 1.0);
  EXPECT_EQ(s.above_zero.p, 0.1);
  EXPECT_EQ(s.above_zero.w.value(), 9.0);
  EXPECT_EQ(s.above_zero.wy.value(), 4.0);
  EXPECT_EQ(s.at_one.w.value(), 3.0);
  EXPECT_EQ(s.below_one.p, 0.9);
  EXPECT_EQ(s.below_one.w.value(), 7.0);
}

TEST(BetaSums, DifferentBandwidthsDoNotMerge) {
  BetaSums a(BetaBoxes(0.1, 1e-10));
  EXPECT_THROW(a.merge(BetaSums(BetaBoxes(0.2, 1e-10))), std::invalid_argument);
  EXPECT_THROW(BetaBoxes(2.0, 1e-10), InputError);
}

// G(x) against the literal sum, and its error bound against the error made.
TEST(BetaPlan, SumsAgreeWithTheDefinitionWithinTheStatedError) {
  for (const std::string& kind : reference::hostile()) {
    for (double h : {1e-5, 1e-4, 0.003, 0.02, 0.1, 0.4, 0.48, 1.0}) {
      std::vector<double> p = column(kind, 200, 17);
      std::erase_if(p, [](double x) { return x == 0.0 || x == 1.0; });
      const std::vector<double> y = outcomes(p, 17);
      const BetaPlan plan(h);
      const BetaValues values = plan.values(sums_of({p, y, {}, {}, {}, true}, plan.boxes()), 1);
      BetaEvaluator evaluator(values);
      evaluator.evaluate(p);
      for (std::size_t i = 0; i < p.size(); i += 7) {
        long double all = 0, hits = 0;
        for (std::size_t j = 0; j < p.size(); ++j) {
          const auto k =
              std::exp(reference::log_kernel(p[i], p[j], h) - reference::log_kernel(p[i], p[i], h));
          all += k, hits += k * y[j];
        }
        // 1e-12: what the reference itself loses to cancellation at h = 1e-5.
        const double slack = evaluator.error()[i] + 1e-12 * static_cast<double>(all);
        ASSERT_NEAR(evaluator.all()[i], static_cast<double>(all), slack) << kind << ' ' << h << ' ' << p[i];
        ASSERT_NEAR(evaluator.hits()[i], static_cast<double>(hits), slack) << kind << ' ' << h << ' ' << p[i];
      }
    }
  }
}

TEST(BetaPlan, PeakSeriesAgreesWithThePeak) {
  for (double h : {1e-4, 0.02, 1.0}) {
    std::vector<double> p = column("bimodal", 200, 2);
    p.push_back(1e-200);
    const std::vector<double> y(p.size(), 1.0);
    const BetaPlan plan(h);
    const BetaValues values = plan.values(sums_of({p, y, {}, {}, {}, true}, plan.boxes()), 1);
    BetaEvaluator evaluator(values);
    evaluator.evaluate(p);
    std::vector<double> peak(p.size()), unused(p.size());
    evaluator.evaluate_other(log_peak_series(values), peak, unused);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(peak[i], log_beta_kernel_peak(EndDistance::from(p[i]), h), 1e-11) << h << ' ' << p[i];
    }
  }
}

TEST(BetaPlan, SameBitsOnEverySimdTarget) {
  const std::vector<double> p = column("saturated", 777, 8), y = outcomes(p, 8);
  const auto run = [&] {
    const BetaPlan plan(0.02);
    const BetaValues values = plan.values(sums_of({p, y, {}, {}, {}, true}, plan.boxes()), 2);
    BetaEvaluator evaluator(values);
    evaluator.evaluate(p);
    std::vector<double> out(evaluator.all().begin(), evaluator.all().end());
    out.insert(out.end(), evaluator.hits().begin(), evaluator.hits().end());
    return out;
  };
  const std::vector<double> best = run();
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    EXPECT_EQ(run(), best) << target;
  }
  force_simd_target("");
}

}  // namespace
}  // namespace plumb
