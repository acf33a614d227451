// Thresholds against a search over all cuts; what is deferred and what it leaves.
#include "plumb/uncertainty/thresholds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "column.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"

namespace plumb::test {
namespace {

/// The largest v among the values and infinity with {previous <= y < v} right often enough; NaN: none.
double naive(const RandomColumn& c, double previous, double target) {
  std::vector<double> cuts = c.measure;
  cuts.push_back(std::numeric_limits<double>::infinity());
  double best = std::nan("");
  for (const double v : cuts) {
    double n = 0, right = 0;
    for (std::size_t i = 0; i < c.measure.size(); ++i)
      if (c.measure[i] >= previous && c.measure[i] < v) {
        n += 1;
        right += c.hits[i];
      }
    if (n > 0 && right / n >= target && !(v <= best)) best = v;
  }
  return best;
}

TEST(Thresholds, MatchASearchOverAllCuts) {
  for (const int levels : {0, 12})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      const RandomColumn c = random_column(300, levels, seed);
      const std::vector<double> targets{0.97, 0.9, 0.6};
      const Thresholds t = find_thresholds(sorted(c.measure, c.hits).view(), targets);
      double previous = -std::numeric_limits<double>::infinity();
      double shares = t.rest_share;
      for (std::size_t j = 0; j < targets.size(); ++j) {
        const double want = naive(c, previous, targets[j]);
        ASSERT_EQ(t.cuts[j].value.has_value(), !std::isnan(want)) << seed << " " << j;
        if (std::isnan(want)) {
          EXPECT_EQ(t.cuts[j].share, 0);
          EXPECT_FALSE(t.cuts[j].accuracy.has_value());
          continue;
        }
        if (std::isinf(want)) {
          EXPECT_GT(*t.cuts[j].value, *std::max_element(c.measure.begin(), c.measure.end()));
        } else {
          EXPECT_EQ(*t.cuts[j].value, want);
        }
        EXPECT_GE(*t.cuts[j].accuracy, targets[j]);
        previous = *t.cuts[j].value;
        shares += t.cuts[j].share;
      }
      EXPECT_NEAR(shares, 1, 1e-12);
    }
}

TEST(Thresholds, ByHand) {
  // Measure 1..5; right, right, wrong, right, wrong.
  const SortedForecasts s = sorted({1, 2, 3, 4, 5}, {1, 1, 0, 1, 0});
  const Thresholds t = find_thresholds(s.view(), std::vector<double>{1.0, 0.75, 0.5});
  EXPECT_EQ(*t.cuts[0].value, 3);
  EXPECT_EQ(t.cuts[0].share, .4);
  EXPECT_FALSE(t.cuts[1].value.has_value()) << "from 3 on nothing is right three times in four";
  EXPECT_EQ(*t.cuts[2].value, 5);
  EXPECT_EQ(*t.cuts[2].accuracy, .5);
  EXPECT_EQ(t.rest_share, .2);
  EXPECT_EQ(*t.rest_accuracy, 0);
}

TEST(Thresholds, EverythingGoodEnough) {
  const Thresholds t = find_thresholds(sorted({1, 2}, {1, 1}).view(), std::vector<double>{0.9});
  EXPECT_GT(*t.cuts[0].value, 2);
  EXPECT_EQ(t.cuts[0].share, 1);
  EXPECT_FALSE(t.rest_accuracy.has_value());
  const double inf = std::numeric_limits<double>::infinity();
  const Thresholds beyond = find_thresholds(sorted({1, inf}, {1, 1}).view(), std::vector<double>{0.9});
  EXPECT_TRUE(std::isfinite(*beyond.cuts[0].value));
  EXPECT_EQ(beyond.cuts[0].share, .5);
}

TEST(Deferral, HandsOverFromTheMostUncertainOn) {
  const SortedForecasts s = sorted({1, 2, 3, 4}, {1, 1, 0, 1});
  const auto points = deferral(s.view(), 10);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].handed_over, 0);
  EXPECT_EQ(points[0].accuracy, .75);
  EXPECT_EQ(points[1].threshold, 3);
  EXPECT_NEAR(points[1].accuracy, 2. / 3, 1e-15);
  EXPECT_EQ(points[2].accuracy, 1);
}

}  // namespace
}  // namespace plumb::test
