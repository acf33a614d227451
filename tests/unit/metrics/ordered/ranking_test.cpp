#include "plumb/metrics/ordered/ranking.hpp"

#include <gtest/gtest.h>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// The area is exact up to three roundings; average precision rounds each precision to 2^-50.
constexpr double kTolerance = 2e-15;

// Reference: all pairs of a hit and a miss.
double naive_auroc(const Column& c) {
  long double above = 0, all = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < c.size(); ++j) {
      const long double pair = static_cast<long double>(c.gain(i)) * (c.mass(j) - c.gain(j));
      all += pair;
      above += pair * (c.p[i] > c.p[j] ? 1.0L : c.p[i] == c.p[j] ? 0.5L : 0.0L);
    }
  }
  return static_cast<double>(above / all);
}

// Reference: sum over thresholds of (recall step) * precision, each recounted.
double naive_auprc(const Column& c) {
  const std::vector<double> thresholds = distinct_p(c);
  long double sum = 0, recall_before = 0, hits_all = 0;
  for (std::size_t i = 0; i < c.size(); ++i) hits_all += c.gain(i);
  for (auto t = thresholds.rbegin(); t != thresholds.rend(); ++t) {
    long double hits = 0, mass = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c.p[i] < *t) continue;
      hits += c.gain(i);
      mass += c.mass(i);
    }
    sum += (hits / hits_all - recall_before) * hits / mass;
    recall_before = hits / hits_all;
  }
  return static_cast<double>(sum);
}

TEST(Ranking, AurocCountsPairs) {
  for (const ColumnOptions& o : kinds()) {
    if (o.n < 3) continue;
    const Column c = random_column(o);
    EXPECT_NEAR(*auroc(c.view()).value, naive_auroc(c), kTolerance) << "seed " << o.seed;
  }
}

TEST(Ranking, AuprcIsAveragePrecision) {
  for (const ColumnOptions& o : kinds()) {
    if (o.n < 3) continue;
    const Column c = random_column(o);
    EXPECT_NEAR(*auprc(c.view()).value, naive_auprc(c), kTolerance) << "seed " << o.seed;
  }
}

// The example in the documentation of scikit-learn's roc_auc_score and average_precision_score.
TEST(Ranking, Golden) {
  const Column c{.p = {0.1, 0.35, 0.4, 0.8}, .hits = {0, 1, 0, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*auroc(c.view()).value, 0.75);
  EXPECT_NEAR(*auprc(c.view()).value, 0.5 + 0.5 * 2 / 3, kTolerance);
}

TEST(Ranking, PerfectReversedAndConstant) {
  const Column perfect{
      .p = {0.1, 0.2, 0.8, 0.9}, .hits = {0, 0, 1, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*auroc(perfect.view()).value, 1.0);
  EXPECT_EQ(*auprc(perfect.view()).value, 1.0);
  const Column reversed{
      .p = {0.1, 0.2, 0.8, 0.9}, .hits = {1, 1, 0, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*auroc(reversed.view()).value, 0.0);
  const Column constant{
      .p = {0.5, 0.5, 0.5, 0.5}, .hits = {1, 0, 0, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*auroc(constant.view()).value, 0.5);
  EXPECT_EQ(*auprc(constant.view()).value, 0.25);
}

TEST(Ranking, NeedsHitsAndMisses) {
  Column c{.p = {0.2, 0.7}, .hits = {0, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_NE(auroc(c.view()).why.find("no hits"), std::string::npos);
  EXPECT_NE(auprc(c.view()).why.find("no hits"), std::string::npos);
  c.hits = {1, 1};
  EXPECT_NE(auroc(c.view()).why.find("no misses"), std::string::npos);
  EXPECT_EQ(*auprc(c.view()).value, 1.0);
}

// 3e9 hits above 3e9 misses: the products need more than 64 bits.
TEST(Ranking, LargeCountsDoNotOverflow) {
  const Column c{
      .p = {0.1, 0.2, 0.3}, .hits = {0, 1.5e9, 3e9}, .trials = {3e9, 3e9, 3e9}, .weight = {}, .times = {}};
  EXPECT_NEAR(*auroc(c.view()).value, naive_auroc(c), kTolerance);
}

}  // namespace
}  // namespace plumb::test
