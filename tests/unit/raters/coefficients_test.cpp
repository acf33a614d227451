#include "plumb/raters/coefficients.hpp"

#include <gtest/gtest.h>

#include "unit/raters/simulated_raters.hpp"

namespace plumb {
namespace {

using test::simulate_raters;
using test::SimulatedRaters;

Judgements krippendorff_example() {
  const int observer[4][12] = {{1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0},
                               {1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3},
                               {0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0},
                               {1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0}};
  Judgements out;
  for (int unit = 0; unit < 12; ++unit) {
    for (std::uint32_t r = 0; r < 4; ++r)
      if (observer[r][unit] > 0) {
        out.rater.push_back(r);
        out.cls.push_back(static_cast<std::uint32_t>(observer[r][unit] - 1));
      }
    out.offset.push_back(std::ssize(out.cls));
  }
  return out;
}

// Golden: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", sections C and D: nominal 0.743,
// ordinal 0.815, interval 0.849.
TEST(Coefficients, KrippendorffExample) {
  const Coincidences c(krippendorff_example(), 5);
  EXPECT_NEAR(*c.alpha(Distance::nominal), 0.743, 0.0005);
  EXPECT_NEAR(*c.alpha(Distance::ordinal), 0.815, 0.0005);
  EXPECT_NEAR(*c.alpha(Distance::interval), 0.849, 0.0005);
}

/// By the definition: mean distance of pairs within items, over all pairs of pairable votes.
double naive_alpha(const SimulatedRaters& s, Distance distance) {
  std::vector<int> all;
  std::vector<long double> total(s.classes);
  for (std::size_t i = 0; i < s.truth.size(); ++i)
    if (s.votes.offset[i + 1] - s.votes.offset[i] > 1)
      for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j) {
        all.push_back(static_cast<int>(s.votes.cls[j]));
        total[s.votes.cls[j]] += 1;
      }
  const auto d = [&](int a, int b) -> long double {
    if (a == b) return 0;
    if (distance == Distance::nominal) return 1;
    if (distance == Distance::interval) return (a - b) * (a - b);
    long double sum = -(total[a] + total[b]) / 2;
    for (int g = std::min(a, b); g <= std::max(a, b); ++g) sum += total[g];
    return sum * sum;
  };
  long double observed = 0, expected = 0;
  for (std::size_t i = 0; i < s.truth.size(); ++i) {
    const auto first = s.votes.offset[i], last = s.votes.offset[i + 1];
    for (auto a = first; a < last; ++a)
      for (auto b = first; b < last; ++b)
        if (a != b) observed += d(s.votes.cls[a], s.votes.cls[b]) / (last - first - 1);
  }
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b)
      if (a != b) expected += d(all[a], all[b]);
  return static_cast<double>(1 - (observed / all.size()) / (expected / (all.size() * (all.size() - 1.0L))));
}

TEST(Coefficients, AlphaAgreesWithEnumeratedPairs) {
  const SimulatedRaters s = simulate_raters({.items = 150, .classes = 4, .missing = 0.5, .seed = 8});
  const Coincidences c(s.votes, 4);
  for (const Distance d : {Distance::nominal, Distance::ordinal, Distance::interval})
    EXPECT_NEAR(*c.alpha(d), naive_alpha(s, d), 1e-12) << distance_name(d);
}

TEST(Coefficients, AlphaIsOneForAgreementAndAbsentForOneClass) {
  Judgements votes;
  votes.offset = {0, 2, 4};
  votes.rater = {0, 1, 0, 1};
  votes.cls = {0, 0, 2, 2};
  EXPECT_EQ(Coincidences(votes, 3).alpha(Distance::ordinal), 1.0);
  votes.cls = {2, 2, 2, 2};
  EXPECT_FALSE(Coincidences(votes, 3).alpha(Distance::interval));
  const std::vector<std::uint32_t> none{0, 0};
  EXPECT_FALSE(Coincidences(votes, 3, none).alpha(Distance::nominal));
}

// Golden: Cohen 1960, table 1 (psychiatric diagnoses, in counts of 200): kappa = 0.492 by its own margins.
TEST(Coefficients, KappaOfATable) {
  const std::vector<std::uint64_t> counts{88, 14, 18, 10, 40, 10, 2, 6, 12};
  const double n = 200, agree = (88 + 40 + 12) / n;
  const double chance = (120. * 100 + 60. * 60 + 20. * 40) / (n * n);
  EXPECT_NEAR(*cohen_kappa(counts, 3, false), (agree - chance) / (1 - chance), 1e-15);
  EXPECT_NEAR(*cohen_kappa(counts, 3, false), 0.492, 0.0005);
  // Quadratic weights of two classes change nothing; of three a near miss costs a quarter of a far one.
  const std::vector<std::uint64_t> two{20, 5, 10, 15};
  EXPECT_EQ(cohen_kappa(two, 2, true), cohen_kappa(two, 2, false));
  const double observed = (14 + 10 + 10 + 6 + 4. * (18 + 2)) / n;
  const double expected =
      (120. * 60 + 60. * 100 + 60. * 40 + 20. * 60 + 4 * (120. * 40 + 20. * 100)) / (n * n);
  EXPECT_NEAR(*cohen_kappa(counts, 3, true), 1 - observed / expected, 1e-15);
  EXPECT_FALSE(cohen_kappa(std::vector<std::uint64_t>{9, 0, 0, 0}, 2, false));
}

TEST(Coefficients, PairCountsAreThoseOfSharedItems) {
  const SimulatedRaters s = simulate_raters({.items = 60, .classes = 3, .missing = 0.4, .seed = 9});
  std::vector<std::uint32_t> times;
  for (std::size_t i = 0; i < s.truth.size(); ++i) times.push_back(i % 3);
  const PairCounts counts(s.votes, 3, 5, times);
  for (std::uint32_t a = 0; a < 5; ++a)
    for (std::uint32_t b = a + 1; b < 5; ++b) {
      std::vector<std::uint64_t> naive(9);
      for (std::size_t i = 0; i < s.truth.size(); ++i)
        for (auto u = s.votes.offset[i]; u < s.votes.offset[i + 1]; ++u)
          for (auto v = s.votes.offset[i]; v < s.votes.offset[i + 1]; ++v)
            if (s.votes.rater[u] == a && s.votes.rater[v] == b)
              naive[s.votes.cls[u] * 3 + s.votes.cls[v]] += times[i];
      const auto got = counts.counts(static_cast<int>(a), static_cast<int>(b));
      EXPECT_EQ(std::vector<std::uint64_t>(got.begin(), got.end()), naive);
    }
}

}  // namespace
}  // namespace plumb
