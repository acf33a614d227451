#include "plumb/metrics/raters/disagreement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/simd.hpp"
#include "unit/metrics/passes.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using test::Observed;
using test::Real;
using test::Simulated;
using test::VoteForm;

constexpr int kBins = 15;

ShareTables tables(const Simulated& s, const std::vector<Rows>& concentration = {}, int threads = 1) {
  return disagreement(to_items(s, VoteForm::counts), concentration,
                      disagreement_edges(s.classes, test::equal_width(kBins)), threads);
}

Scores scores(const ShareTables& t) {
  Scores out;
  finish_disagreement(t, out);
  return out;
}

double value(const Scores& s, const char* key) {
  const Estimate& e = s.at(key);
  EXPECT_TRUE(e) << key << ": " << e.why;
  return e.value.value_or(NAN);
}

/// Every pair of distinct raters, one by one; about = -1: any difference, otherwise a difference about
/// that class.
Real pairs_that_differ(const std::vector<int>& votes, int about) {
  Real differ = 0, pairs = 0;
  for (std::size_t a = 0; a < votes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      pairs += 1;
      differ += about < 0 ? votes[a] != votes[b] : (votes[a] == about) != (votes[b] == about);
    }
  return differ / pairs;
}

Real forecast(const Simulated& s, std::size_t i, int about, Real factor) {
  Real sum = 0;
  for (int k = 0; k < s.classes; ++k) {
    const Real z = test::probability(s, i, k);
    sum += about < 0 ? z * (1 - z) : (k == about ? 2 * z * (1 - z) : 0);
  }
  return factor * sum;
}

/// The double that the bin is chosen by: a forecast on an edge must fall on the library's side of it.
std::vector<Observed> observed(const Simulated& s, int about, const std::vector<double>& alpha) {
  std::vector<Observed> out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const Real w = s.weight.empty() ? 1 : Real(s.weight[i]);
    if (s.votes[i].size() < 2 || !(w > 0)) continue;
    const Real factor = alpha.empty() ? 1 : Real(alpha[i]) / (Real(alpha[i]) + 1);
    out.push_back({forecast(s, i, about, factor), pairs_that_differ(s.votes[i], about), 0, w});
  }
  return out;
}

struct Expected {
  Real loss;
  test::NaiveCalibration cl;
};
Expected expected(const std::vector<Observed>& o) {
  // Eq. 39 for a two-valued phi: a share mu of the pairs has phi = 1.
  return {test::naive_mean(
              o, [](const Observed& x) { return x.mu * (1 - x.p) * (1 - x.p) + (1 - x.mu) * x.p * x.p; }),
          test::naive_cl(o, kBins)};
}

std::vector<double> some_alphas(std::size_t n) {
  RandomStream rng(3, Purpose::demo, 92);
  std::vector<double> out(n);
  for (double& a : out) a = std::exp(6 * rng.uniform() - 3);
  return out;
}

Rows column(const std::vector<double>& v) {
  return Rows(array_of(v, {static_cast<std::int64_t>(v.size())}, "alpha.npy"));
}

TEST(Disagreement, AgreesWithEnumeratedPairs) {
  for (const int classes : {2, 3, 8})
    for (const bool weighted : {false, true})
      for (const bool concentrated : {false, true}) {
        Simulated s = test::simulate({.n = 400,
                                      .classes = classes,
                                      .raters = 6,
                                      .vary = true,
                                      .sharpen = 1.5,
                                      .heterogeneity = 3,
                                      .seed = 41});
        if (weighted) test::add_weights(s, 42);
        const std::vector<double> alpha = concentrated ? some_alphas(s.size()) : std::vector<double>{};
        const ShareTables t =
            tables(s, concentrated ? std::vector<Rows>{column(alpha)} : std::vector<Rows>{});
        const Scores out = scores(t);
        const Expected all = expected(observed(s, -1, alpha));
        EXPECT_NEAR(value(out, "disagreement_loss"), static_cast<double>(all.loss), test::kSums);
        EXPECT_NEAR(value(out, "disagreement_cl_plugin"), static_cast<double>(all.cl.plugin), test::kSums);
        EXPECT_NEAR(value(out, "disagreement_cl"), static_cast<double>(all.cl.debiased), test::kSums);
        EXPECT_NEAR(value(out, "disagreement_ce"), static_cast<double>(test::signed_sqrt(all.cl.debiased)),
                    1e-9);
        Real loss = 0, cl = 0, ce = 0;
        const ClassScores by_class = disagreement_classes(t, classes);
        for (int k = 0; k < classes; ++k) {
          const Expected e = expected(observed(s, k, alpha));
          loss += e.loss / classes;
          cl += e.cl.debiased / classes;
          ce += test::signed_sqrt(e.cl.debiased) / classes;
          EXPECT_NEAR(*by_class[0].second[static_cast<std::size_t>(k)], static_cast<double>(e.loss),
                      test::kSums);
          EXPECT_NEAR(*by_class[1].second[static_cast<std::size_t>(k)], static_cast<double>(e.cl.debiased),
                      test::kSums);
        }
        EXPECT_NEAR(value(out, "disagreement_classwise_loss"), static_cast<double>(loss), test::kSums);
        EXPECT_NEAR(value(out, "disagreement_classwise_cl"), static_cast<double>(cl), test::kSums);
        EXPECT_NEAR(value(out, "disagreement_classwise_ce"), static_cast<double>(ce), 1e-9);
      }
}

TEST(Disagreement, BinaryClassesDisagreeTogether) {
  const Simulated s = test::simulate({.n = 500, .classes = 2, .raters = 3, .seed = 43});
  const Scores out = scores(tables(s));
  EXPECT_EQ(value(out, "disagreement_loss"), value(out, "disagreement_classwise_loss"));
  EXPECT_EQ(value(out, "disagreement_cl"), value(out, "disagreement_classwise_cl"));
  EXPECT_EQ(value(out, "disagreement_ce"), value(out, "disagreement_classwise_ce"));
}

// Mimori 2021, eq. 51: the mean of the statistic over samples, not the statistic of the mean.
TEST(Disagreement, SamplesAverageTheStatistic) {
  for (const int classes : {2, 4})
    for (const int columns : {0, 1, 3}) {
      const int samples = 3;
      std::vector<Simulated> s;
      for (int j = 0; j < samples; ++j)
        s.push_back(test::simulate(
            {.n = 60, .classes = classes, .raters = 4, .seed = 50 + static_cast<std::uint64_t>(j)}));
      Items items = to_items(s[0], VoteForm::counts);
      std::vector<Rows> z;
      for (const Simulated& one : s)
        z.push_back(to_items(one, VoteForm::counts).predictions.sources().front());
      items.predictions = Predictions(z, Scale::probability);
      std::vector<Rows> concentration;
      std::vector<std::vector<double>> alpha;
      for (int j = 0; j < columns; ++j) {
        alpha.push_back(some_alphas(60));
        for (double& a : alpha.back()) a *= j + 1;
        concentration.push_back(column(alpha.back()));
      }
      ItemBlock block;
      read_items(items, 10, 50, block);
      DisagreementForecast f;
      forecast_disagreement(items.predictions, concentration, block, f);
      ASSERT_EQ(f.columns, classes == 2 ? 1u : 5u);
      for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t c = 0; c < f.columns; ++c) {
          Real mean = 0;
          for (int j = 0; j < samples; ++j) {
            const double a =
                columns == 0 ? INFINITY : alpha[columns == 1 ? 0 : static_cast<std::size_t>(j)][i + 10];
            const Real factor = columns == 0 ? 1 : Real(a) / (Real(a) + 1);
            mean +=
                forecast(s[static_cast<std::size_t>(j)], i + 10, static_cast<int>(c) - 1, factor) / samples;
          }
          // Rows sum to 1 within rounding: 1 - sum z^2 and sum z (1 - z) then agree to the last few bits.
          EXPECT_NEAR(f.p[i * f.columns + c], static_cast<double>(mean), 1e-15);
        }
    }
}

TEST(Disagreement, WrongNumberOfConcentrationsIsRefused) {
  const Simulated s = test::simulate({.n = 5, .classes = 3, .raters = 2});
  const Rows one = column({1, 1, 1, 1, 1});
  EXPECT_THROW((void)tables(s, {one, one}), InputError);
}

TEST(Disagreement, ConcentrationsMustBeAboveZero) {
  const Simulated s = test::simulate({.n = 3, .classes = 3, .raters = 2});
  for (const double bad : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    try {
      (void)tables(s, {column({1, bad, 1})});
      FAIL() << bad;
    } catch (const InputError& e) {
      const std::string what = e.what();
      EXPECT_NE(what.find("alpha.npy"), std::string::npos) << what;
      EXPECT_NE(what.find("row 1"), std::string::npos) << what;
    }
  }
}

TEST(Disagreement, OneVoteEverywhereIsUndefined) {
  const Simulated s = test::simulate({.n = 50, .classes = 3});
  const ShareTables t = tables(s);
  for (const auto& [key, e] : scores(t)) {
    EXPECT_FALSE(e) << key;
    EXPECT_EQ(e.why, "no item has two votes or more") << key;
    EXPECT_EQ(e.items, 0) << key;
  }
  EXPECT_EQ(t.left_out, 50u);
  for (const auto& [key, values] : disagreement_classes(t, 3))
    for (const auto& v : values) EXPECT_FALSE(v) << key;
}

TEST(Disagreement, CertainForecastsAndUnanimousRaters) {
  Simulated s;
  s.classes = 3;
  s.z = {1, 0, 0, 0, 0, 1};
  s.votes = {{0, 0}, {2, 2, 2}};
  const Scores out = scores(tables(s));
  for (const auto& [key, e] : out) EXPECT_EQ(e.value, 0.0) << key;
  s.votes = {{0, 1}, {2, 1}};
  EXPECT_EQ(value(scores(tables(s)), "disagreement_loss"), 1.0);
}

// Rows may sum to a little more than 1; a probability below 0 has no bin.
TEST(Disagreement, ForecastsStayAboveZero) {
  PredictionBlock z{{1.0, 0.0005, 0.0}, 1, 3};
  DisagreementForecast f;
  forecast_disagreement(z, 3, {}, f);
  EXPECT_EQ(f.p[0], 0.0);
}

TEST(Disagreement, ReliabilityRowsHoldEveryItemOnce) {
  Simulated s = test::simulate({.n = 900, .classes = 4, .raters = 5, .vary = true, .seed = 61});
  const auto rows = disagreement_rows(tables(s));
  ASSERT_EQ(rows.size(), 15u);
  std::uint64_t items = 0, votes = 0, expected_items = 0, expected_votes = 0;
  for (const DisagreementRow& r : rows) {
    items += r.items;
    votes += r.votes;
    if (r.items == 0) {
      EXPECT_FALSE(r.mean_p);
      continue;
    }
    EXPECT_GE(*r.mean_p, r.low);
    EXPECT_LE(*r.mean_p, r.high);
    EXPECT_NEAR(*r.gap, *r.mean_p - *r.mean_y, 1e-15);
  }
  for (const auto& v : s.votes)
    if (v.size() > 1) {
      ++expected_items;
      expected_votes += v.size();
    }
  EXPECT_EQ(items, expected_items);
  EXPECT_EQ(votes, expected_votes);
}

// Raters drawn from the forecast itself: CL is 0. Raters of one item drawn from a Dirichlet around it: only
// the forecast that knows its concentration is calibrated, whose plain sibling expects too much disagreement.
TEST(Disagreement, DebiasedLossOfTheRightForecastAveragesToZero) {
  constexpr int kRuns = 60;
  constexpr double kStandardErrors = 4;
  const auto mean_and_error = [](const std::vector<double>& x) {
    double sum = 0, squares = 0;
    for (const double v : x) sum += v, squares += v * v;
    const double mean = sum / x.size();
    return std::pair(mean, std::sqrt((squares / x.size() - mean * mean) / (x.size() - 1)));
  };
  for (const double concentration : {0.0, 2.0}) {
    std::vector<double> right, plugin, naive;
    for (int r = 0; r < kRuns; ++r) {
      const Simulated s = test::simulate({.n = 400,
                                          .classes = 3,
                                          .raters = 3,
                                          .heterogeneity = concentration,
                                          .seed = 1000 + static_cast<std::uint64_t>(r)});
      std::vector<Rows> alpha;
      if (concentration > 0) alpha.push_back(column(std::vector<double>(s.size(), concentration)));
      const Scores out = scores(tables(s, alpha));
      right.push_back(value(out, "disagreement_cl"));
      plugin.push_back(value(out, "disagreement_cl_plugin"));
      naive.push_back(value(scores(tables(s)), "disagreement_cl"));
    }
    const auto [mean, error] = mean_and_error(right);
    EXPECT_LT(std::abs(mean), kStandardErrors * error) << "concentration " << concentration;
    const auto [biased, biased_error] = mean_and_error(plugin);
    EXPECT_GT(biased, kStandardErrors * biased_error);
    if (concentration == 0) continue;
    const auto [wrong, wrong_error] = mean_and_error(naive);
    EXPECT_GT(wrong, kStandardErrors * wrong_error);
  }
}

TEST(Disagreement, SameBitsForAnyOrderThreadsAndTarget) {
  for (const bool weighted : {false, true}) {
    Simulated s = test::simulate({.n = 7000, .classes = 5, .raters = 4, .vary = true, .seed = 71});
    if (weighted) test::add_weights(s, 72);
    const ShareTables one = tables(s);
    EXPECT_EQ(one, tables(s, {}, 7));
    EXPECT_EQ(one, tables(test::take(s, test::shuffled(s.size(), 4))));
    for (const std::string& target : simd_targets()) {
      force_simd_target(target);
      EXPECT_EQ(one, tables(s)) << target;
    }
    force_simd_target("");
  }
}

}  // namespace
}  // namespace plumb
