#include "plumb/metrics/ordered/risk_coverage.hpp"

#include <gtest/gtest.h>

#include "plumb/metrics/kernel/mmce.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// Each risk is rounded to 2^-50, the areas once more.
constexpr double kTolerance = 2e-15;

struct Areas {
  double aurc, augrc;
};

// Reference: all votes with score >= s, for each distinct score s from the top, recounted.
Areas naive_areas(const Column& c) {
  long double total = 0, aurc = 0, augrc = 0, coverage = 0, joint = 0;
  for (std::size_t i = 0; i < c.size(); ++i) total += c.mass(i);
  const std::vector<double> scores = distinct_p(c);
  for (auto s = scores.rbegin(); s != scores.rend(); ++s) {
    long double mass = 0, misses = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c.p[i] < *s) continue;
      mass += c.mass(i);
      misses += c.mass(i) - c.gain(i);
    }
    const long double step = mass / total - coverage;
    aurc += step * misses / mass;
    augrc += step * (joint + misses / total) / 2;
    coverage = mass / total;
    joint = misses / total;
  }
  return {static_cast<double>(aurc), static_cast<double>(augrc)};
}

// Reference: the votes one by one, hits first.
double naive_ideal(double hits, double misses) {
  long double sum = 0;
  for (double j = 1; j <= misses; ++j) sum += static_cast<long double>(j) / (hits + j);
  return static_cast<double>(sum / (hits + misses));
}

TEST(RiskCoverage, AreasAreTheDefinition) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    const RiskCoverage r = risk_coverage(c.view());
    const Areas naive = naive_areas(c);
    EXPECT_NEAR(*r.aurc.value, naive.aurc, kTolerance) << "seed " << o.seed;
    EXPECT_NEAR(*r.augrc.value, naive.augrc, kTolerance) << "seed " << o.seed;
  }
}

TEST(RiskCoverage, StretchesOfTheConfidenceGiveTheBitsOfTheColumn) {
  Forecasts f;
  for (int i = 0; i < 40000; ++i) {
    f.p.push_back(i * 7919 % 15013 / 15013.0);
    f.hits.push_back(i % 7 == 0);
  }
  f = sort_in_place(std::move(f), 1);
  for (const bool weighted : {false, true}) {
    if (weighted) f.weight.assign(f.size(), 0.3);
    const Forecasts whole = confidence_of(f, 1);
    const ConfidenceColumn column(f.view());
    const RiskCoverage a = risk_coverage(whole.view());
    for (const int threads : {1, 2, 5}) {
      const RiskCoverage b = risk_coverage(column, threads);
      EXPECT_EQ(*a.aurc.value, *b.aurc.value);
      EXPECT_EQ(*a.eaurc.value, *b.eaurc.value);
      EXPECT_EQ(*a.augrc.value, *b.augrc.value);
      EXPECT_EQ(*mmce(whole.view()).value, *mmce(column, threads).value);
    }
  }
}

TEST(RiskCoverage, ExcessIsOverVotesSortedByCorrectness) {
  for (const ColumnOptions& o : kinds()) {
    if (o.weighted) continue;
    const Column c = random_column(o);
    double hits = 0, misses = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      hits += c.gain(i);
      misses += c.mass(i) - c.gain(i);
    }
    const RiskCoverage r = risk_coverage(c.view());
    EXPECT_NEAR(*r.eaurc.value, *r.aurc.value - naive_ideal(hits, misses), kTolerance) << "seed " << o.seed;
  }
}

TEST(RiskCoverage, PerfectRankingHasNoExcess) {
  for (const std::size_t n : {2, 10, 333, 5000}) {
    Column c;
    for (std::size_t i = 0; i < n; ++i) {
      c.p.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(n));
      c.hits.push_back(i >= n / 3 ? 1.0 : 0.0);
    }
    EXPECT_EQ(*risk_coverage(c.view()).eaurc.value, 0.0) << n;
  }
}

// Multiples of the smallest weight are so many votes; with other weights the ideal is the limit of many
// votes, r + (1 - r) log(1 - r).
TEST(RiskCoverage, ExcessWithWeights) {
  Column c = random_column({.n = 300, .seed = 61});
  c.weight.assign(c.size(), 4.0);
  double hits = 0;
  for (const double h : c.hits) hits += h;
  const double misses = 300 - hits;
  RiskCoverage r = risk_coverage(c.view());
  EXPECT_NEAR(*r.eaurc.value, *r.aurc.value - naive_ideal(hits, misses), kTolerance);
  double total = 0, wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    c.weight[i] = i % 2 == 0 ? 0.3 : 0.45;
    total += c.weight[i];
    wrong += c.weight[i] * (1 - c.hits[i]);
  }
  r = risk_coverage(c.view());
  const double risk = wrong / total;
  EXPECT_NEAR(*r.eaurc.value, *r.aurc.value - (risk + (1 - risk) * std::log(1 - risk)), kTolerance);
}

TEST(RiskCoverage, ACommonFactorOfTheWeightsCancels) {
  for (const double factor : {0.5, 1.0 / 3, 7.0}) {
    Column c = random_column({.n = 500, .seed = 66});
    const RiskCoverage votes = risk_coverage(c.view());
    c.weight.assign(c.size(), factor);
    EXPECT_NEAR(*risk_coverage(c.view()).eaurc.value, *votes.eaurc.value, kTolerance) << factor;
  }
}

// More misses than are summed one by one: Euler-Maclaurin takes over. Both with few and with many hits.
TEST(RiskCoverage, ExcessOfManyVotes) {
  for (const double hits : {0.0, 1.0, 50.0, 3e6, 3e8}) {
    for (const double misses : {1048576.0, 1048577.0, 3e6}) {
      const Column c{.p = {0.3}, .hits = {hits}, .trials = {hits + misses}, .weight = {}, .times = {}};
      const RiskCoverage r = risk_coverage(c.view());
      EXPECT_NEAR(*r.eaurc.value, misses / (hits + misses) - naive_ideal(hits, misses), kTolerance)
          << hits << " " << misses;
    }
  }
}

// Law (Traub et al. 2024): AUGRC = (1 - AUROC) a (1 - a) + (1 - a)^2 / 2 with a the accuracy.
TEST(RiskCoverage, AugrcIsAurocAndAccuracy) {
  for (const ColumnOptions& o : kinds()) {
    if (o.n < 3) continue;
    const Column c = random_column(o);
    long double hits = 0, total = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      hits += c.gain(i);
      total += c.mass(i);
    }
    const auto a = static_cast<double>(hits / total);
    const double law = (1 - *auroc(c.view()).value) * a * (1 - a) + (1 - a) * (1 - a) / 2;
    EXPECT_NEAR(*risk_coverage(c.view()).augrc.value, law, kTolerance) << "seed " << o.seed;
  }
}

TEST(RiskCoverage, Golden) {
  // Risks 0, 1/2, 1/3, 1/2 at coverages 1/4 .. 1.
  const Column c{.p = {0.6, 0.7, 0.8, 0.9}, .hits = {0, 1, 0, 1}, .trials = {}, .weight = {}, .times = {}};
  const RiskCoverage r = risk_coverage(c.view());
  EXPECT_NEAR(*r.aurc.value, (0.0 + 1.0 / 2 + 1.0 / 3 + 1.0 / 2) / 4, kTolerance);
  EXPECT_NEAR(*r.eaurc.value, (1.0 / 2 + 1.0 / 3 + 1.0 / 2 - 1.0 / 3 - 2.0 / 4) / 4, kTolerance);
  EXPECT_NEAR(*r.augrc.value, (0.0 + 0.125 + 0.25 + 0.375) / 4, kTolerance);
}

TEST(RiskCoverage, AllRightAndAllWrong) {
  Column c = random_column({.n = 40, .seed = 63});
  c.hits.assign(40, 1.0);
  EXPECT_EQ(*risk_coverage(c.view()).aurc.value, 0.0);
  EXPECT_EQ(*risk_coverage(c.view()).eaurc.value, 0.0);
  EXPECT_EQ(*risk_coverage(c.view()).augrc.value, 0.0);
  c.hits.assign(40, 0.0);
  EXPECT_EQ(*risk_coverage(c.view()).aurc.value, 1.0);
  EXPECT_EQ(*risk_coverage(c.view()).eaurc.value, 0.0);
  EXPECT_EQ(*risk_coverage(c.view()).augrc.value, 0.5);
}

TEST(RiskCoverageCurve, HasOnePointPerDistinctScore) {
  const Column c = random_column({.n = 300, .levels = 20, .most_trials = 3, .seed = 64});
  const auto curve = risk_coverage_curve(c.view(), 1000);
  const std::vector<double> scores = distinct_p(c);
  ASSERT_EQ(curve.size(), scores.size());
  double total = 0;
  for (std::size_t i = 0; i < c.size(); ++i) total += c.mass(i);
  for (std::size_t k = 0; k < curve.size(); ++k) {
    EXPECT_EQ(curve[k].score, scores[scores.size() - 1 - k]);
    double mass = 0, misses = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c.p[i] < curve[k].score) continue;
      mass += c.mass(i);
      misses += c.mass(i) - c.gain(i);
    }
    EXPECT_EQ(curve[k].coverage, mass / total);
    EXPECT_EQ(curve[k].risk, misses / mass);
  }
}

TEST(RiskCoverageCurve, ThinsEvenlyInCoverage) {
  for (const bool weighted : {false, true}) {
    const Column c = random_column({.n = 5000, .weighted = weighted, .seed = 65});
    const auto curve = risk_coverage_curve(c.view(), 50);
    ASSERT_LE(curve.size(), 50u);
    ASSERT_GE(curve.size(), 45u);
    EXPECT_EQ(curve.back().coverage, 1.0);
    double before = 0;
    for (const RiskCoveragePoint& q : curve) {
      EXPECT_GT(q.coverage, before);
      EXPECT_LE(q.coverage - before, 0.03);
      before = q.coverage;
    }
  }
}

TEST(RiskCoverageCurve, Edges) {
  EXPECT_TRUE(risk_coverage_curve(Column{}.view(), 10).empty());
  EXPECT_TRUE(risk_coverage_curve(random_column({}).view(), 0).empty());
  EXPECT_EQ(risk_coverage_curve(random_column({}).view(), 1).size(), 1u);
}

}  // namespace
}  // namespace plumb::test
