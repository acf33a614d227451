// Fits for ambiguous labels: the targets that they are fitted on.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/calibrate/fit.hpp"
#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

Step one_step(const char* method, const Items& items, const FitOptions& o = {}) {
  return fit_calibrator(method, items, o).front();
}

Simulated uneven_votes() {
  return test::simulate({.n = 300, .classes = 4, .raters = 6, .vary = true, .sharpen = 2, .seed = 51});
}

constexpr double kSameOptimum = 1e-7;  // gradients end below 1e-6

TEST(SoftTargets, EachItemCountsOnce) {
  const Simulated s = uneven_votes();
  Simulated weighted = s;
  for (const auto& v : s.votes) weighted.weight.push_back(1.0 / v.size());
  const Items items = to_items(s, VoteForm::counts), expected = to_items(weighted, VoteForm::counts);
  for (const auto& [soft, plain] :
       {std::pair{"dirichlet-soft", "dirichlet"}, {"temperature-soft", "temperature"}}) {
    const Step a = one_step(soft, items), b = one_step(plain, expected);
    EXPECT_EQ(a.method, plain);
    ASSERT_EQ(a.parameters.size(), b.parameters.size());
    for (std::size_t p = 0; p < a.parameters.size(); ++p)
      for (std::size_t j = 0; j < a.parameters[p].values.size(); ++j)
        EXPECT_NEAR(a.parameters[p].values[j], b.parameters[p].values[j], kSameOptimum);
    EXPECT_EQ(a.fit.items, 300);
    EXPECT_EQ(a.fit.votes, b.fit.votes);
  }
}

TEST(SoftTargets, SingleLabelsAreTheirShares) {
  const Items items =
      to_items(test::simulate({.n = 300, .classes = 3, .sharpen = 2, .seed = 52}), VoteForm::labels);
  EXPECT_EQ(one_step("temperature-soft", items).parameters, one_step("temperature", items).parameters);
  EXPECT_EQ(one_step("temperature-drawn", items).parameters, one_step("temperature", items).parameters);
}

// The optimum of the cross-entropy to the smoothed majority label, from its definition.
TEST(SoftTargets, SmoothedMajority) {
  for (const int classes : {2, 4}) {
    const Simulated s =
        test::simulate({.n = 200, .classes = classes, .raters = 3, .sharpen = 2.5, .seed = 53});
    const auto loss = [&](double t) {
      double out = 0;
      for (std::size_t i = 0; i < s.size(); ++i) {
        std::vector<double> z, q, votes(classes);
        for (int k = 0; k < classes; ++k)
          z.push_back(classes == 2 ? (k == 1 ? s.z[i] : 1 - s.z[i]) : s.z[i * classes + k]);
        double sum = 0, ties = 0;
        for (const double x : z) sum += q.emplace_back(std::pow(std::max(x, 1e-12), 1 / t));
        for (const int v : s.votes[i]) votes[v] += 1;
        const double most = *std::max_element(votes.begin(), votes.end()),
                     doubt = 1 - *std::max_element(z.begin(), z.end());
        for (const double v : votes) ties += v == most;
        for (int k = 0; k < classes; ++k)
          out -= ((votes[k] == most) / ties * (1 - doubt) + doubt / classes) * std::log(q[k] / sum);
      }
      return out;
    };
    const double t = one_step("temperature-smooth", to_items(s, VoteForm::counts)).parameters[0].values[0];
    // Targets are rounded to a millionth.
    EXPECT_LT(loss(t), loss(t * 1.001));
    EXPECT_LT(loss(t), loss(t / 1.001));
  }
}

TEST(SoftTargets, DrawnVotesDependOnTheSeedAlone) {
  const Items items = to_items(uneven_votes(), VoteForm::counts);
  FitOptions one, two;
  one.seed = two.seed = 3;
  one.threads = 1;
  two.threads = 4;
  EXPECT_EQ(one_step("temperature-drawn", items, one).parameters,
            one_step("temperature-drawn", items, two).parameters);
  two.seed = 4;
  EXPECT_NE(one_step("temperature-drawn", items, one).parameters,
            one_step("temperature-drawn", items, two).parameters);
}

TEST(SoftTargets, AreCandidatesWhereVotesAreSeveral) {
  const auto tried = [](const Items& items) {
    int out = 0;
    for (const LeagueRow& row : fit_auto(items, {}).league)
      out += row.method == "dirichlet-soft" || row.method.starts_with("temperature-");
    return out;
  };
  EXPECT_EQ(tried(to_items(uneven_votes(), VoteForm::counts)), 4);
  EXPECT_EQ(
      tried(to_items(test::simulate({.n = 300, .classes = 4, .sharpen = 2, .seed = 54}), VoteForm::labels)),
      0);
}

}  // namespace
}  // namespace plumb
