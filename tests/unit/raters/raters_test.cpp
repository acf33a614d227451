#include "plumb/raters/raters.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/raters/simulated_raters.hpp"

namespace plumb {
namespace {

using test::simulate_raters;
using test::SimulatedRaters;
using test::votes_of;

TEST(Raters, ProfilesPairsAndBias) {
  const SimulatedRaters s = simulate_raters({.items = 500, .missing = 0.3, .seed = 11});
  const RatersResult r = describe_raters(votes_of(s), {});
  ASSERT_EQ(r.raters.size(), 5u);
  EXPECT_EQ(r.pairs.size(), 10u);
  EXPECT_EQ(r.votes, std::ssize(s.votes.cls));
  for (int a = 0; a < 5; ++a) {
    const RaterProfile& p = r.raters[a];
    double accuracy = 0, bias = 0;
    for (int k = 0; k < 3; ++k) {
      accuracy += r.fit.prevalence[k] * *p.confusion[k * 3 + k].value;
      double row = 0, own = 0, expected = 0;
      for (int y = 0; y < 3; ++y) row += *p.confusion[k * 3 + y].value;
      EXPECT_NEAR(row, 1, 1e-12);
      for (std::size_t i = 0; i < s.truth.size(); ++i)
        for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j)
          if (s.votes.rater[j] == static_cast<std::uint32_t>(a)) {
            own += s.votes.cls[j] == static_cast<std::uint32_t>(k);
            expected += r.consensus[i * 3 + k];
          }
      EXPECT_NEAR(*p.bias[k].value, (own - expected) / static_cast<double>(p.votes), 1e-6);
      bias += *p.bias[k].value;
    }
    EXPECT_NEAR(*p.accuracy.value, accuracy, 1e-12);
    EXPECT_NEAR(bias, 0, 1e-9);
    EXPECT_FALSE(p.accuracy.low);
  }
}

/// The definition: entropy of the true class less its mean entropy after one more vote.
double naive_gain(const RatersResult& r, std::int64_t row) {
  const int k = r.fit.classes;
  const auto entropy = [&](const std::vector<double>& q) {
    double out = 0;
    for (const double x : q) out -= x > 0 ? x * std::log2(x) : 0;
    return out;
  };
  std::vector<double> average(k * k), q(r.consensus.begin() + row * k, r.consensus.begin() + (row + 1) * k);
  for (int c = 0; c < k; ++c) {
    double seen = 0;
    for (int a = 0; a < r.fit.raters; ++a) seen += r.fit.seen[a * k + c];
    for (int a = 0; a < r.fit.raters; ++a)
      for (int y = 0; y < k; ++y) average[c * k + y] += r.fit.seen[a * k + c] / seen * r.fit.cell(a, c, y);
  }
  double after = 0;
  for (int y = 0; y < k; ++y) {
    std::vector<double> posterior(k);
    double chance = 0;
    for (int c = 0; c < k; ++c) chance += posterior[c] = q[c] * average[c * k + y];
    for (double& x : posterior) x /= chance;
    after += chance * entropy(posterior);
  }
  return entropy(q) - after;
}

TEST(Raters, AskWhereAVoteTellsMost) {
  const SimulatedRaters s = simulate_raters({.items = 200, .missing = 0.4, .seed = 12});
  RatersOptions o;
  o.ask = 200;
  const RatersResult r = describe_raters(votes_of(s), {}, o);
  ASSERT_EQ(r.ask.size(), 200u);
  for (std::size_t i = 0; i < r.ask.size(); ++i) {
    EXPECT_NEAR(r.ask[i].gain, naive_gain(r, r.ask[i].row), 1e-10);
    EXPECT_GE(r.ask[i == 0 ? 0 : i - 1].gain, r.ask[i].gain);
  }
}

TEST(Raters, NumberOfVotesForAStandardError) {
  const SimulatedRaters s = simulate_raters({.items = 300, .missing = 0.3, .seed = 13});
  RatersOptions o;
  o.target_se = 0.15;
  const RatersResult r = describe_raters(votes_of(s), {}, o);
  double largest = 0;
  for (std::uint32_t k = 0; k < 3; ++k) {
    double sum = 0, items = 0;
    for (std::size_t i = 0; i < s.truth.size(); ++i) {
      const double n = static_cast<double>(s.votes.offset[i + 1] - s.votes.offset[i]);
      if (n < 2) continue;
      double y = 0;
      for (auto j = s.votes.offset[i]; j < s.votes.offset[i + 1]; ++j) y += s.votes.cls[j] == k;
      sum += y / n * (1 - y / n) * n / (n - 1);
      items += 1;
    }
    largest = std::max(largest, sum / items);
  }
  EXPECT_NEAR(*r.within, largest, 1e-12);
  EXPECT_EQ(*r.needed, static_cast<std::int64_t>(std::ceil(largest / (0.15 * 0.15))));
}

TEST(Raters, IntervalsAreTheSameForAnyThreads) {
  const SimulatedRaters s = simulate_raters({.items = 150, .classes = 3, .seed = 14});
  RatersOptions one, many;
  one.bootstrap = many.bootstrap = 20;
  one.ordered = many.ordered = true;
  one.threads = 1;
  many.threads = 5;
  const RatersResult a = describe_raters(votes_of(s), {}, one), b = describe_raters(votes_of(s), {}, many);
  ASSERT_EQ(a.agreement.size(), 5u);
  for (std::size_t j = 0; j < a.agreement.size(); ++j) {
    EXPECT_EQ(a.agreement[j].second.low, b.agreement[j].second.low);
    EXPECT_LT(*a.agreement[j].second.low, *a.agreement[j].second.value);
    EXPECT_GT(*a.agreement[j].second.high, *a.agreement[j].second.value);
  }
  for (std::size_t r = 0; r < 5; ++r) {
    EXPECT_EQ(a.raters[r].accuracy.high, b.raters[r].accuracy.high);
    EXPECT_EQ(a.raters[r].bias[1].low, b.raters[r].bias[1].low);
    for (const Bounded& cell : a.raters[r].confusion) {
      EXPECT_LE(*cell.low, *cell.value);
      EXPECT_GE(*cell.high, *cell.value);
    }
  }
}

TEST(Raters, RefusesVotesOfUnknownRaters) {
  const Votes counts =
      Votes::from_counts(Rows(array_of(std::vector<double>{1, 2, 3, 0}, {2, 2}, "c.npy")), 2);
  EXPECT_THROW((void)describe_raters(counts, {}), InputError);
  const Votes one = Votes::from_ratings(Rows(array_of(std::vector<double>{0, 1}, {2, 1}, "r.npy")), 2);
  EXPECT_THROW((void)describe_raters(one, {}), InputError);
  RatersOptions o;
  o.target_se = 0;
  EXPECT_THROW((void)describe_raters(votes_of(simulate_raters({.items = 10})), {}, o), InputError);
}

}  // namespace
}  // namespace plumb
