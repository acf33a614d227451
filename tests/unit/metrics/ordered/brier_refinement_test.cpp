#include "plumb/metrics/ordered/brier_refinement.hpp"

#include <gtest/gtest.h>

#include <map>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// Each square is rounded to 2^-50.
constexpr double kTolerance = 1e-15;

// Law: the two parts are the Brier score of the votes.
TEST(BrierRefinement, PartsAddUpToBrier) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    long double brier = 0, total = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const long double miss = c.p[i], hit = 1 - static_cast<long double>(c.p[i]);
      brier += c.gain(i) * hit * hit + (c.mass(i) - c.gain(i)) * miss * miss;
      total += c.mass(i);
    }
    const BrierRefinement b = brier_refinement(c.view());
    EXPECT_NEAR(*b.calibration.value + *b.refinement.value, static_cast<double>(brier / total), kTolerance)
        << "seed " << o.seed;
  }
}

// Reference: Liu 2022, appendix E, by a map from p.
TEST(BrierRefinement, IsTheDefinition) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    std::map<double, std::pair<long double, long double>> groups;
    long double total = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c.mass(i) == 0) continue;
      groups[c.p[i]].first += c.mass(i);
      groups[c.p[i]].second += c.gain(i);
      total += c.mass(i);
    }
    long double calibration = 0, refinement = 0;
    for (const auto& [q, sums] : groups) {
      const long double y = sums.second / sums.first;
      calibration += sums.first * (q - y) * (q - y);
      refinement += sums.first * y * (1 - y);
    }
    const BrierRefinement b = brier_refinement(c.view());
    EXPECT_NEAR(*b.calibration.value, static_cast<double>(calibration / total), kTolerance)
        << "seed " << o.seed;
    EXPECT_NEAR(*b.refinement.value, static_cast<double>(refinement / total), kTolerance)
        << "seed " << o.seed;
  }
}

TEST(BrierRefinement, DistinctSingleVotesHaveNoRefinement) {
  const BrierRefinement b = brier_refinement(random_column({.n = 100, .seed = 31}).view());
  EXPECT_EQ(*b.refinement.value, 0.0);
  EXPECT_GT(*b.calibration.value, 0.0);
}

}  // namespace
}  // namespace plumb::test
