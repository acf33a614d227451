#include "plumb/resample/null_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/numeric/special.hpp"
#include "resample/normal_table.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

TEST(NormalTable, IsNearTheFunctions) {
  for (double u = 0x1p-53; u < 1; u += 0.00037) {
    EXPECT_NEAR(detail::table_normal_quantile(u), normal_quantile(u), 1e-7) << u;
    const double low = std::max(u * u * u * u, 0x1p-54);  // the least that the table knows
    EXPECT_NEAR(detail::table_normal_quantile(low), normal_quantile(low), 1e-7) << low;
  }
  for (double x = -9; x < 9; x += 0.0013) EXPECT_NEAR(detail::table_normal_cdf(x), normal_cdf(x), 1e-9) << x;
  EXPECT_EQ(detail::table_normal_quantile(0.5), 0);
  EXPECT_LT(detail::table_normal_cdf(40), 1);
  EXPECT_GE(detail::table_normal_cdf(-40), 0);
}

/// Reference: the log-likelihood by log-gamma functions, on a grid.
double naive_fit(const Simulated& s) {
  double best = 0, most = -INFINITY;
  for (double d = 0.002; d < 0.999; d += 0.002) {
    const double c = (1 - d) / d;
    double sum = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      std::vector<double> y(s.classes);
      for (const int v : s.votes[i]) ++y[v];
      sum += std::lgamma(c) - std::lgamma(c + s.votes[i].size());
      for (int k = 0; k < s.classes; ++k) {
        const double z = s.classes > 2 ? s.z[i * s.classes + k] : k == 1 ? s.z[i] : 1 - s.z[i];
        if (y[k] > 0) sum += std::lgamma(c * z + y[k]) - std::lgamma(c * z);
      }
    }
    if (sum > most) most = sum, best = d;
  }
  return best;
}

TEST(NullModel, VoteCorrelationIsTheLikelihoodsMaximum) {
  for (const int classes : {2, 4})
    for (const double s : {0.5, 4.0, 40.0}) {
      const Simulated data =
          simulate({.n = 400, .classes = classes, .raters = 5, .vary = true, .heterogeneity = s, .seed = 3});
      const double d = fit_vote_correlation(to_items(data, VoteForm::counts), 1);
      EXPECT_NEAR(d, naive_fit(data), 0.002) << classes << " classes, s " << s;
      EXPECT_NEAR(d, 1 / (1 + s), 0.08) << classes << " classes, s " << s;
      EXPECT_EQ(d, fit_vote_correlation(to_items(data, VoteForm::ratings), 2)) << "threads and form";
      EXPECT_EQ(d, fit_vote_correlation(to_items(take(data, shuffled(data.size(), 4)), VoteForm::counts), 1))
          << "row order";
    }
}

TEST(NullModel, VotesThatAgreeAndVotesThatDoNot) {
  Simulated agree, differ;
  for (int i = 0; i < 100; ++i) {
    agree.z.push_back(0.5);
    agree.votes.push_back(std::vector<int>(4, i % 2));
    differ.z.push_back(0.5);
    differ.votes.push_back({0, 1, 0, 1});
  }
  EXPECT_GT(fit_vote_correlation(to_items(agree, VoteForm::counts), 1), 0.999);
  EXPECT_EQ(fit_vote_correlation(to_items(differ, VoteForm::counts), 1), 0);
  // Certain forecasts, right and wrong, add no information and cause no error.
  agree.z[0] = 1, agree.z[1] = 0;
  EXPECT_GT(fit_vote_correlation(to_items(agree, VoteForm::counts), 1), 0.999);
}

/// 60 groups of 20 whose outcomes a Gaussian copula ties.
GroupModel fit_copula(double rho, std::uint64_t seed, bool backwards, int threads) {
  RandomStream rng(seed, Purpose::demo);
  std::vector<double> p, hits;
  std::vector<std::uint32_t> group;
  for (std::uint32_t g = 0; g < 60; ++g) {
    const double own = rng.normal();
    for (int i = 0; i < 20; ++i) {
      p.push_back(rng.uniform());
      const double x = std::sqrt(rho) * own + std::sqrt(1 - rho) * rng.normal();
      hits.push_back(normal_cdf(x) < p.back() ? 1 : 0);
      group.push_back(g);
    }
  }
  if (backwards) {
    std::reverse(p.begin(), p.end());
    std::reverse(hits.begin(), hits.end());
    std::reverse(group.begin(), group.end());
  }
  VoteCounts votes;
  const double independent = 0;
  const ForecastsView f{p, hits, {}, {}, {}, true};
  votes.plan(f, std::span(&independent, 1));
  return fit_groups(f, votes, group, 60, threads);
}

TEST(NullModel, GroupCorrelationIsFound) {
  for (const double rho : {0.0, 0.1, 0.4, 0.8}) {
    const GroupModel m = fit_copula(rho, 7, false, 1);
    EXPECT_NEAR(m.rho, rho, 0.12);
    const GroupModel same = fit_copula(rho, 7, true, 2);
    EXPECT_EQ(m.posterior, same.posterior) << "threads and row order";
    double mean = 0;
    for (std::uint32_t r = 0; r < 400; ++r) {
      const double drawn = m.draw(1, r);
      EXPECT_GE(drawn, 0);
      EXPECT_LT(drawn, 1);
      mean += drawn / 400;
    }
    EXPECT_NEAR(mean, rho, 0.12);
  }
}

}  // namespace
}  // namespace plumb::test
