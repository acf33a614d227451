#include "plumb/simulate/cohort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace plumb {
namespace {

constexpr double kSumTolerance = 1e-6;  // eight float32 probabilities, each rounded by at most 2^-25
constexpr double kSigmas = 4.5;         // a fair draw goes beyond once in 150,000 tests

struct Agreement {
  double confidence = 0, hits = 0, votes = 0;
};

// Mean top probability and share of votes that equal the argmax.
Agreement agreement(const Cohort& c) {
  Agreement a;
  const auto k = static_cast<std::size_t>(c.classes());
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.items); ++i) {
    const auto row = c.probs.begin() + static_cast<std::ptrdiff_t>(i * k);
    const auto top =
        static_cast<std::size_t>(std::max_element(row, row + static_cast<std::ptrdiff_t>(k)) - row);
    for (std::size_t j = 0; j < k; ++j) {
      const auto n = static_cast<double>(c.counts[i * k + j]);
      a.votes += n;
      a.confidence += n * static_cast<double>(row[static_cast<std::ptrdiff_t>(top)]);
      if (j == top) a.hits += n;
    }
  }
  a.confidence /= a.votes;
  return a;
}

TEST(Cohort, ColumnsFitTogether) {
  const Cohort c = simulate_cohort({.items = 500});
  const auto k = static_cast<std::size_t>(c.classes()), r = static_cast<std::size_t>(c.raters);
  ASSERT_EQ(c.probs.size(), 500 * k);
  ASSERT_EQ(c.ratings.size(), 500 * r);
  ASSERT_EQ(c.labels.size(), 500u);
  ASSERT_EQ(c.patient.size(), 500u);
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < 500; ++i) {
    double sum = 0, truth = 0;
    std::vector<std::int64_t> counts(k, 0);
    std::int64_t votes = 0;
    for (std::size_t j = 0; j < k; ++j) sum += static_cast<double>(c.probs[i * k + j]);
    for (std::size_t j = 0; j < k; ++j) truth += c.truth[i * k + j];
    for (std::size_t j = 0; j < r; ++j) {
      const std::int64_t vote = c.ratings[i * r + j];
      if (vote < 0) continue;
      ++counts[static_cast<std::size_t>(vote)];
      ++votes;
    }
    EXPECT_NEAR(sum, 1, kSumTolerance);
    EXPECT_NEAR(truth, 1, 1e-12);
    EXPECT_TRUE(
        std::equal(counts.begin(), counts.end(), c.counts.begin() + static_cast<std::ptrdiff_t>(i * k)));
    EXPECT_EQ(c.labels[i], std::max_element(counts.begin(), counts.end()) - counts.begin());
    EXPECT_GE(votes, 3);
    EXPECT_LE(votes, 7);
    seen.insert(votes);
  }
  EXPECT_EQ(seen.size(), 5u) << "every number of raters from 3 to 7 occurs";
}

TEST(Cohort, ItemDependsOnSeedAndNumberAlone) {
  const Cohort small = simulate_cohort({.items = 60, .seed = 7}),
               large = simulate_cohort({.items = 200, .seed = 7});
  const Cohort begin = slice(large, 0, 60);
  EXPECT_EQ(small.probs, begin.probs);
  EXPECT_EQ(small.ratings, begin.ratings);
  EXPECT_EQ(small.site, begin.site);
  EXPECT_NE(small.probs, simulate_cohort({.items = 60, .seed = 8}).probs);
}

TEST(Cohort, OverConfidentAsPromised) {
  const Agreement a = agreement(simulate_cohort({}));
  EXPECT_GT(a.confidence - a.hits / a.votes, 0.05) << a.confidence << " " << a.hits / a.votes;
}

// A law of the simulation: without sharpening and noise the model's probabilities are the raters' own.
TEST(Cohort, CalibratedWithoutSharpeningAndNoise) {
  const Cohort c = simulate_cohort({.items = 4000, .sharpening = 1, .model_noise = 0});
  const Agreement a = agreement(c);
  const double sigma = std::sqrt(a.confidence * (1 - a.confidence) / a.votes);
  EXPECT_NEAR(a.hits / a.votes, a.confidence, kSigmas * sigma);
}

TEST(Cohort, PatientsAreNotSplit) {
  const Cohort c = simulate_cohort({.items = 1000});
  const std::int64_t cut = validation_size(c);
  EXPECT_GT(cut, 0);
  EXPECT_NE(c.patient[static_cast<std::size_t>(cut) - 1], c.patient[static_cast<std::size_t>(cut)]);
  std::map<std::string, std::set<std::string>> sites;
  for (std::size_t i = 0; i < 1000; ++i) sites[c.patient[i]].insert(c.site[i]);
  EXPECT_EQ(sites.size(), 50u);
  for (const auto& [patient, at] : sites) EXPECT_EQ(at.size(), 1u) << patient;
}

}  // namespace
}  // namespace plumb
