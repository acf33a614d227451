#include "plumb/raters/dawid_skene.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/raters/simulated_raters.hpp"

namespace plumb {
namespace {

using test::simulate_raters;
using test::SimulatedRaters;
using Real = long double;

/// The two steps as the paper writes them, in long double, for many iterations.
struct Naive {
  std::vector<Real> prevalence, confusion, posterior;

  Naive(const SimulatedRaters& s, bool one_coin, Real prior, int iterations) {
    const int k = s.classes, n = static_cast<int>(s.truth.size());
    posterior.assign(n * k, 0);
    for (int i = 0; i < n; ++i)
      for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j)
        posterior[i * k + s.votes.cls[j]] += Real(1) / (s.votes.offset[i + 1] - s.votes.offset[i]);
    for (int it = 0; it < iterations; ++it) {
      maximise(s, one_coin, prior);
      expect(s);
    }
  }

  void maximise(const SimulatedRaters& s, bool one_coin, Real prior) {
    const int k = s.classes, n = static_cast<int>(s.truth.size());
    prevalence.assign(k, prior / k);
    confusion.assign(s.raters * k * k, 0);
    Real all = prior;
    for (int i = 0; i < n; ++i) {
      if (s.votes.offset[i] == s.votes.offset[i + 1]) continue;
      all += 1;
      for (int c = 0; c < k; ++c) {
        prevalence[c] += posterior[i * k + c];
        for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j)
          confusion[(s.votes.rater[j] * k + c) * k + s.votes.cls[j]] += posterior[i * k + c];
      }
    }
    for (Real& p : prevalence) p /= all;
    for (int r = 0; r < s.raters; ++r) {
      Real right = prior / k, total = prior;
      for (int c = 0; c < k; ++c)
        for (int y = 0; y < k; ++y) {
          total += confusion[(r * k + c) * k + y];
          right += c == y ? confusion[(r * k + c) * k + y] : 0;
        }
      for (int c = 0; c < k; ++c) {
        Real row = prior;
        for (int y = 0; y < k; ++y) row += confusion[(r * k + c) * k + y];
        for (int y = 0; y < k; ++y) {
          Real& cell = confusion[(r * k + c) * k + y];
          cell =
              one_coin ? (c == y ? right / total : (1 - right / total) / (k - 1)) : (cell + prior / k) / row;
        }
      }
    }
  }

  void expect(const SimulatedRaters& s) {
    const int k = s.classes, n = static_cast<int>(s.truth.size());
    for (int i = 0; i < n; ++i) {
      Real sum = 0;
      for (int c = 0; c < k; ++c) {
        Real p = prevalence[c];
        for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j)
          p *= confusion[(s.votes.rater[j] * k + c) * k + s.votes.cls[j]];
        sum += posterior[i * k + c] = p;
      }
      for (int c = 0; c < k; ++c) posterior[i * k + c] /= sum;
    }
  }
};

// At a change of 1e-12 per iteration what is left to go is well below this.
constexpr double kFixedPoint = 1e-8;

TEST(DawidSkene, AgreesWithTheStepsOfThePaper) {
  for (const bool one_coin : {false, true})
    for (const double prior : {0.0, 1.0})
      for (const int classes : {2, 4}) {
        const SimulatedRaters s =
            simulate_raters({.items = 400, .classes = classes, .raters = 6, .missing = 0.3, .seed = 5});
        DawidSkeneOptions o;
        o.one_coin = one_coin;
        o.prior = prior;
        o.tolerance = 1e-12;
        o.iterations = 5000;
        const DawidSkene fit = fit_dawid_skene(s.votes, classes, s.raters, o);
        ASSERT_TRUE(fit.converged);
        const Naive naive(s, one_coin, prior, 3000);
        for (std::size_t j = 0; j < fit.confusion.size(); ++j)
          EXPECT_NEAR(fit.confusion[j], static_cast<double>(naive.confusion[j]), kFixedPoint) << j;
        for (int k = 0; k < classes; ++k)
          EXPECT_NEAR(fit.prevalence[k], static_cast<double>(naive.prevalence[k]), kFixedPoint);
        const std::vector<double> q = consensus_of(fit, s.votes, 1);
        for (std::size_t i = 0; i < s.truth.size(); ++i) {
          if (s.votes.offset[i] == s.votes.offset[i + 1]) continue;
          for (int k = 0; k < classes; ++k)
            EXPECT_NEAR(q[i * classes + k], static_cast<double>(naive.posterior[i * classes + k]), 1e-7);
        }
      }
}

// Law: with many items the confusion matrices are those that made the votes (standard error of a cell: about
// sqrt(0.25 / 5000) = 0.007).
TEST(DawidSkene, RecoversConfusionMatrices) {
  const SimulatedRaters s = simulate_raters({.items = 20000, .classes = 3, .raters = 6, .seed = 2});
  const DawidSkene fit = fit_dawid_skene(s.votes, 3, 6);
  EXPECT_TRUE(fit.converged);
  for (std::size_t j = 0; j < fit.confusion.size(); ++j)
    EXPECT_NEAR(fit.confusion[j], s.confusion[j], 0.03) << j;
  const std::vector<double> q = consensus_of(fit, s.votes, 0);
  double right = 0, claimed = 0;
  for (std::size_t i = 0; i < s.truth.size(); ++i) {
    const auto top = std::max_element(q.begin() + i * 3, q.begin() + (i + 1) * 3);
    right += top - (q.begin() + i * 3) == s.truth[i];
    claimed += *top;
  }
  EXPECT_NEAR(right / s.truth.size(), claimed / s.truth.size(), 0.015);  // votes are independent here
}

TEST(DawidSkene, SameBitsForThreadsAndOrderOfItems) {
  const SimulatedRaters s =
      simulate_raters({.items = 5000, .classes = 4, .raters = 7, .missing = 0.5, .seed = 3});
  DawidSkeneOptions one, many;
  one.threads = 1;
  many.threads = 7;
  const DawidSkene a = fit_dawid_skene(s.votes, 4, 7, one), b = fit_dawid_skene(s.votes, 4, 7, many);
  EXPECT_EQ(a.confusion, b.confusion);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  EXPECT_EQ(consensus_of(a, s.votes, 1), consensus_of(b, s.votes, 16));
  Judgements reversed;
  for (std::size_t i = s.truth.size(); i-- > 0;) {
    for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j) {
      reversed.rater.push_back(s.votes.rater[j]);
      reversed.cls.push_back(s.votes.cls[j]);
    }
    reversed.offset.push_back(std::ssize(reversed.cls));
  }
  const DawidSkene c = fit_dawid_skene(reversed, 4, 7, many);
  EXPECT_EQ(a.confusion, c.confusion);
  EXPECT_EQ(a.prevalence, c.prevalence);
}

TEST(DawidSkene, TimesAreTheItemSeveralTimes) {
  const SimulatedRaters s = simulate_raters({.items = 200, .classes = 3, .seed = 4});
  std::vector<std::uint32_t> times;
  Judgements repeated;
  for (std::size_t i = 0; i < s.truth.size(); ++i) {
    times.push_back(i % 3);
    for (std::uint32_t t = 0; t < times.back(); ++t) {
      for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j) {
        repeated.rater.push_back(s.votes.rater[j]);
        repeated.cls.push_back(s.votes.cls[j]);
      }
      repeated.offset.push_back(std::ssize(repeated.cls));
    }
  }
  const DawidSkene a = fit_dawid_skene(s.votes, 3, 5, {}, times), b = fit_dawid_skene(repeated, 3, 5);
  EXPECT_EQ(a.confusion, b.confusion);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
}

TEST(DawidSkene, TheLikelihoodNeverFalls) {
  const SimulatedRaters s = simulate_raters({.items = 300, .classes = 3, .missing = 0.4, .seed = 6});
  double last = -INFINITY;
  for (int iterations = 3; iterations < 60; iterations += 3) {  // whole cycles
    DawidSkeneOptions o;
    o.prior = 0;
    o.iterations = iterations;
    const DawidSkene fit = fit_dawid_skene(s.votes, 3, 5, o);
    EXPECT_GE(fit.log_likelihood, last - 1e-9) << iterations;
    last = fit.log_likelihood;
  }
}

TEST(DawidSkene, Edges) {
  Judgements votes;  // item 1 has no votes, rater 2 none
  votes.offset = {0, 2, 2, 4};
  votes.rater = {0, 1, 0, 1};
  votes.cls = {0, 0, 1, 1};
  const DawidSkene fit = fit_dawid_skene(votes, 2, 3);
  const std::vector<double> q = consensus_of(fit, votes, 1);
  EXPECT_NEAR(q[2], fit.prevalence[0], 1e-15);
  EXPECT_GT(q[0], 0.5);
  EXPECT_LT(q[4], 0.5);
  EXPECT_EQ(fit.cell(2, 0, 0), 0.5);  // the prior alone
  EXPECT_NEAR(fit.prevalence[0], 0.5, 1e-12);
}

}  // namespace
}  // namespace plumb
