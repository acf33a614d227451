#include "plumb/metrics/kernel/reliability_kde.hpp"

#include <gtest/gtest.h>

#include "plumb/metrics/kernel/forecast_pass.hpp"
#include "reference.hpp"

namespace plumb {
namespace {

TEST(ReliabilityKde, AgreesWithTheDefinition) {
  for (const std::string kind : {"uniform", "bimodal", "rounded", "ends", "saturated"}) {
    for (double h : {0.003, 0.02, 0.3}) {
      const std::vector<double> p = reference::column(kind, 500, 41), y = reference::outcomes(p, 41);
      const ForecastsView f{p, y, {}, {}, {}, true};
      const std::vector<reference::Vote> votes = reference::votes_of(f);
      const std::vector<reference::Real> norms = reference::norms_of(votes, h);
      const auto grid = even_grid(20);
      const auto curve = reliability_kde(beta_sums(pass_over(f, 1), BetaBoxes(h, 1e-10)), grid);
      ASSERT_EQ(curve.size(), grid.size());
      for (const CurvePoint& c : curve) {
        if (!c.estimate) continue;
        const auto want = reference::regression(votes, norms, c.p, h, [](std::size_t) { return true; });
        EXPECT_NEAR(*c.estimate, static_cast<double>(want), 1e-6) << kind << ' ' << h << ' ' << c.p;
        if (c.p == 0.0 || c.p == 1.0) continue;
        long double density = 0;
        for (const auto& v : votes) density += std::exp(reference::log_kernel(c.p, v.p, h)) / votes.size();
        EXPECT_NEAR(c.density, static_cast<double>(density), 1e-9 * (1 + static_cast<double>(density)));
      }
    }
  }
}

TEST(ReliabilityKde, DensityIntegratesToOne) {
  const std::vector<double> p = reference::column("bimodal", 2000, 2), y = reference::outcomes(p, 2);
  const auto sums = beta_sums(pass_over(ForecastsView{p, y, {}, {}, {}, true}, 1), BetaBoxes(0.02, 1e-10));
  std::vector<double> midpoints;
  for (int i = 0; i < 1000; ++i) midpoints.push_back((i + 0.5) / 1000);
  double sum = 0;
  for (const CurvePoint& c : reliability_kde(sums, midpoints)) sum += c.density / 1000;
  EXPECT_NEAR(sum, 1.0, 5e-3);  // the density has infinite slope at 0: the midpoint rule is coarse there
}

TEST(ReliabilityKde, FarFromAllVotesThereIsNoEstimate) {
  const std::vector<double> p(10, 0.1), y(10, 1.0), none;
  const auto sums = beta_sums(pass_over(ForecastsView{p, y, {}, {}, {}, true}, 1), BetaBoxes(1e-4, 1e-10));
  const auto curve = reliability_kde(sums, std::vector<double>{0.1, 0.9});
  EXPECT_NEAR(*curve[0].estimate, 1.0, 1e-12);
  EXPECT_FALSE(curve[1].estimate);
  EXPECT_EQ(curve[1].density, 0.0);
  EXPECT_TRUE(reliability_kde(BetaSums(BetaBoxes(0.1, 1e-10)), even_grid()).empty());
}

}  // namespace
}  // namespace plumb
