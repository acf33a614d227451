#include "plumb/metrics/streaming/proper_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/numeric/exact_columns.hpp"
#include "unit/metrics/streaming/simulate.hpp"

namespace plumb {
namespace {

using test::BlockShape;

// Terms are computed in double, a few roundings each; means are of order one to ten.
constexpr double kRounding = 1e-13;

ItemBlock binary_block(std::vector<double> p, std::vector<std::uint32_t> labels) {
  ItemBlock b;
  b.size = b.z.size = b.votes.size = static_cast<std::int64_t>(p.size());
  b.classes = 2;
  b.z.width = 1;
  b.z.z = std::move(p);
  b.votes.single = true;
  b.votes.offset.push_back(0);
  for (const std::uint32_t y : labels) {
    b.votes.cls.push_back(y);
    b.votes.count.push_back(1);
    b.votes.total.push_back(1);
    b.votes.offset.push_back(static_cast<std::uint32_t>(b.votes.cls.size()));
  }
  return b;
}

ProperScores sums(const ItemBlock& b, const ScoreOptions& options = {},
                  const std::vector<std::uint32_t>& times = {}) {
  ScoreTerms terms;
  score_terms(b, options, terms);
  ProperScores s;
  update(s, terms, times);
  return s;
}

Scores scores(const ItemBlock& b, const ScoreOptions& options = {},
              const std::vector<std::uint32_t>& times = {}) {
  Scores out;
  finish(sums(b, options, times), options, !b.truth.empty(), out);
  return out;
}

struct Naive {
  long double accuracy = 0, agreement = 0, nll = 0, brier = 0, mse_p = 0, kl_p = 0, items = 0, votes = 0;
};

/// Vote by vote, with the whole row of squared errors; items without votes or weight left out.
Naive naive(const ItemBlock& b, const std::vector<std::uint32_t>& times) {
  Naive s;
  const auto classes = static_cast<std::size_t>(b.classes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(b.size); ++i) {
    std::vector<long double> z(classes);
    for (std::size_t k = 0; k < classes; ++k) {
      const long double p = b.z.z[b.z.width == 1 ? i : i * classes + k];
      z[k] = b.z.width == 1 && k == 0 ? 1 - p : p;
    }
    std::vector<std::uint32_t> count(classes);
    for (std::uint32_t v = b.votes.offset[i]; v < b.votes.offset[i + 1]; ++v)
      count[b.votes.cls[v]] = b.votes.count[v];
    const long double w = (b.weight.empty() ? 1.0L : b.weight[i]) * (times.empty() ? 1.0L : times[i]);
    if (b.votes.total[i] == 0 || w == 0) continue;
    const auto top = static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
    const std::uint32_t most = *std::max_element(count.begin(), count.end());
    s.items += w;
    s.accuracy += count[top] == most ? w / std::count(count.begin(), count.end(), most) : 0;
    for (std::size_t c = 0; c < classes; ++c) {
      const long double votes = w * count[c];
      if (count[c] == 0) continue;
      s.votes += votes;
      s.agreement += c == top ? votes : 0;
      s.nll -= votes * std::log(z[c]);
      for (std::size_t k = b.z.width == 1 ? 1 : 0; k < classes; ++k) {
        const long double error = z[k] - (k == c ? 1 : 0);
        s.brier += votes * error * error;
      }
    }
    if (b.truth.empty()) continue;
    const long double p = z[1], q = b.truth[i];
    s.mse_p += w * (p - q) * (p - q);
    if (p > 0) s.kl_p += w * p * std::log(p / q);
    if (p < 1) s.kl_p += w * (1 - p) * std::log((1 - p) / (1 - q));
  }
  return s;
}

/// Probabilities strictly inside (0, 1), so that no log-loss is infinite.
ItemBlock inner_block(std::int64_t n, const BlockShape& shape, std::uint64_t seed) {
  ItemBlock b = test::random_block(n, shape, seed);
  const double k = shape.classes;
  for (double& z : b.z.z) z = b.z.width == 1 ? 0.01 + 0.98 * z : (z + 0.01) / (1 + 0.01 * k);
  return b;
}

TEST(ExactBlock, SameBitsAsTermByTerm) {
  RandomStream r(8, Purpose::demo);
  for (const std::size_t n : {0, 1, 3, 4, 2047, 2048, 2049, 10000}) {
    std::vector<double> terms;
    for (std::size_t i = 0; i < n; ++i) {
      const double size = std::ldexp(r.uniform(), static_cast<int>(r.below(300)) - 200);
      const std::uint64_t kind = r.below(8);
      terms.push_back(kind == 0 ? 0.0 : kind == 1 ? -size : kind < 4 ? size : r.uniform());
    }
    if (n == 10000) terms.assign(n, std::nextafter(2.0, 0.0));  // the largest mantissa every time
    ExactSum one, block;
    for (const double x : terms) one.add(x);
    add_column(block, terms);
    EXPECT_EQ(block, one) << n << " terms";
  }
}

TEST(ProperScores, GoldenBinary) {
  const Scores s = scores(binary_block({0.9, 0.2, 0.5, 0.6}, {1, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(*s.at("accuracy").value, 0.75);  // 0.5 is a tie: the lowest class
  EXPECT_DOUBLE_EQ(*s.at("agreement").value, 0.75);
  EXPECT_DOUBLE_EQ(*s.at("brier").value, (0.01 + 0.04 + 0.25 + 0.36) / 4);
  EXPECT_NEAR(*s.at("nll").value, -std::log(0.9 * 0.8 * 0.5 * 0.4) / 4, kRounding);
  EXPECT_EQ(s.count("mse_p"), 0u);
}

TEST(ProperScores, EqualsTheNaiveMeans) {
  for (const int classes : {2, 3, 8, 11, 100}) {
    for (const int votes : {1, 6}) {
      for (const bool weight : {false, true}) {
        for (const bool draw : {false, true}) {
          ItemBlock b = inner_block(300, {.classes = classes, .most_votes = votes, .weight = weight}, 1);
          if (classes == 2) {
            RandomStream r(2, Purpose::demo);
            for (int i = 0; i < 300; ++i) b.truth.push_back(0.01 + 0.98 * r.uniform());
          }
          std::vector<std::uint32_t> times;
          for (std::uint32_t i = 0; draw && i < 300; ++i) times.push_back(i % 4);
          const Naive e = naive(b, times);
          const Scores s = scores(b, {}, times);
          const auto what = ::testing::Message() << classes << " classes, " << votes << " votes, weight "
                                                 << weight << ", times " << draw;
          EXPECT_NEAR(*s.at("accuracy").value, static_cast<double>(e.accuracy / e.items), kRounding) << what;
          EXPECT_NEAR(*s.at("agreement").value, static_cast<double>(e.agreement / e.votes), kRounding)
              << what;
          EXPECT_NEAR(*s.at("nll").value, static_cast<double>(e.nll / e.votes), kRounding) << what;
          EXPECT_NEAR(*s.at("brier").value, static_cast<double>(e.brier / e.votes), kRounding) << what;
          if (classes > 2) continue;
          EXPECT_NEAR(*s.at("mse_p").value, static_cast<double>(e.mse_p / e.items), kRounding) << what;
          EXPECT_NEAR(*s.at("kl_p").value, static_cast<double>(e.kl_p / e.items), kRounding) << what;
        }
      }
    }
  }
}

TEST(ProperScores, SameBitsForAnyOrderSplitAndSimdTarget) {
  for (const BlockShape shape :
       {BlockShape{.classes = 2}, BlockShape{.classes = 13}, BlockShape{.classes = 5, .most_votes = 4},
        BlockShape{.classes = 5, .most_votes = 4, .weight = true}}) {
    const ItemBlock b = test::random_block(500, shape, 3);
    const ProperScores expected = sums(b);
    test::on_every_simd_target([&](const std::string& target) { EXPECT_EQ(sums(b), expected) << target; });
    const auto order = test::random_order(500, 4);
    EXPECT_EQ(sums(test::pick(b, order)), expected);
    ProperScores merged, running;
    for (std::size_t begin = 0; begin < 500; begin += 61) {
      const std::vector<std::size_t> rows(
          order.begin() + static_cast<std::ptrdiff_t>(begin),
          order.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(begin + 61, 500)));
      const ItemBlock piece = test::pick(b, rows);
      merge(merged, sums(piece));
      ScoreTerms terms;
      score_terms(piece, {}, terms);
      update(running, terms);
    }
    EXPECT_EQ(merged, expected);
    EXPECT_EQ(running, expected);
  }
}

TEST(ProperScores, UnitWeightsAndDrawsOfOneChangeNothing) {
  ItemBlock b = test::random_block(300, {.classes = 4, .most_votes = 3}, 5);
  const ProperScores plain = sums(b);
  EXPECT_EQ(sums(b, {}, std::vector<std::uint32_t>(300, 1)), plain);
  b.weight.assign(300, 1.0);
  EXPECT_EQ(sums(b), plain);
}

TEST(ProperScores, WeightMIsDrawnMTimes) {
  ItemBlock b = test::random_block(300, {.classes = 4, .most_votes = 3}, 6);
  std::vector<std::uint32_t> times;
  for (std::uint32_t i = 0; i < 300; ++i) times.push_back(i % 4);
  ProperScores drawn = sums(b, {}, times);
  for (const std::uint32_t m : times) b.weight.push_back(m);
  ProperScores weighted = sums(b);
  EXPECT_GT(weighted.unvoted, drawn.unvoted);  // items that were not drawn are no items of the resample
  weighted.unvoted = drawn.unvoted;
  EXPECT_EQ(weighted, drawn);
}

TEST(ProperScores, VotesOnProbabilityZeroAreCountedAndSaid) {
  const ItemBlock b = binary_block({0.0, 1.0, 0.5, 1.0}, {1, 0, 1, 1});
  const ProperScores s = sums(b);
  EXPECT_EQ(s.zero, 2u);
  EXPECT_EQ(s.clipped, 0u);
  const Scores unclipped = scores(b);
  EXPECT_FALSE(unclipped.at("nll"));
  EXPECT_EQ(unclipped.at("nll").why, "2 votes fall on probability 0: give ⟦clip⟧ 1e-12");
  EXPECT_TRUE(unclipped.at("brier"));
  EXPECT_EQ(scores(binary_block({0.0}, {1})).at("nll").why.substr(0, 12), "1 vote falls");

  const ScoreOptions clip{1e-3};
  EXPECT_EQ(sums(b, clip).zero, 2u);
  EXPECT_EQ(sums(b, clip).clipped, 3u);  // the vote on probability 1 is clipped as well
  const double expected = (-2 * std::log(1e-3) - std::log(0.5) - std::log(1 - 1e-3)) / 4;
  EXPECT_NEAR(*scores(b, clip).at("nll").value, expected, kRounding);
}

TEST(ProperScores, ZeroProbabilityWithoutVotesIsNoMatter) {
  ItemBlock b;
  b.size = b.z.size = b.votes.size = 1;
  b.classes = b.z.width = 3;
  b.z.z = {0.0, 0.5, 0.5};
  b.votes.offset = {0, 1};
  b.votes.cls = {2};
  b.votes.count = {4};
  b.votes.total = {4};
  const Scores s = scores(b);
  EXPECT_NEAR(*s.at("nll").value, std::log(2.0), kRounding);
  EXPECT_DOUBLE_EQ(*s.at("brier").value, 0.5);
  EXPECT_EQ(*s.at("accuracy").value, 0.0);  // argmax ties go to the lowest class
  EXPECT_EQ(*s.at("agreement").value, 0.0);
}

TEST(ProperScores, ItemsWithoutVotesAreLeftOutAndCounted) {
  ItemBlock b = test::random_block(200, {.classes = 3, .most_votes = 2}, 7);
  std::uint64_t unvoted = 0;
  for (const std::uint32_t n : b.votes.total) unvoted += n == 0 ? 1 : 0;
  ASSERT_GT(unvoted, 0u);
  EXPECT_EQ(sums(b).unvoted, unvoted);
  EXPECT_EQ(sums(b).items, 200 - unvoted);
}

TEST(ProperScores, NothingToScoreIsSaid) {
  ItemBlock empty = binary_block({}, {});
  ItemBlock weightless = binary_block({0.5}, {1});
  weightless.weight = {0.0};
  for (const ItemBlock& b : {empty, weightless}) {
    for (const auto& [key, estimate] : scores(b)) {
      EXPECT_FALSE(estimate) << key;
      EXPECT_EQ(estimate.why, kNoVotes) << key;
    }
  }
}

TEST(ProperScores, TruthGolden) {
  ItemBlock b = binary_block({0.5, 0.25, 1.0, 0.0}, {1, 0, 1, 0});
  b.truth = {0.25, 0.25, 1.0, 0.5};
  const Scores s = scores(b);
  EXPECT_DOUBLE_EQ(*s.at("mse_p").value, (0.0625 + 0.25) / 4);
  // KL(0.5, 0.25) = log 2 / 2 + log(2/3) / 2; p = p* gives 0; p = 0 against 1/2 gives log 2.
  EXPECT_NEAR(*s.at("kl_p").value, (0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3) + std::log(2.0)) / 4,
              kRounding);
}

TEST(ProperScores, TruthOfZeroOrOneWithAnotherForecast) {
  ItemBlock b = binary_block({0.5, 1.0, 0.25}, {1, 1, 0});
  b.truth = {0.0, 1.0, 0.5};
  const Scores s = scores(b);
  EXPECT_FALSE(s.at("kl_p"));
  EXPECT_EQ(s.at("kl_p").why.substr(0, 10), "1 item has");
  EXPECT_TRUE(s.at("mse_p"));
  const double e = 0.01;
  const double first = 0.5 * std::log(0.5 / e) + 0.5 * std::log(0.5 / (1 - e));
  const double third = 0.25 * std::log(0.5) + 0.75 * std::log(1.5);
  EXPECT_NEAR(*scores(b, {e}).at("kl_p").value, (first + third) / 3, kRounding);
}

TEST(ProperScores, TruthOfItemsWithoutVotesDoesNotEnter) {
  ItemBlock b = test::random_block(2, {.classes = 2, .most_votes = 2}, 1);
  b.z.z = {0.5, 0.5};
  b.votes.offset = {0, 1, 1};
  b.votes.cls = {1};
  b.votes.count = {1};
  b.votes.total = {1, 0};
  b.truth = {0.5, 0.9};
  EXPECT_EQ(*scores(b).at("mse_p").value, 0.0);
}

TEST(ProperScores, BrierOfANearlyPerfectForecastIsNotNegative) {
  // 1 - 2 z + sum z^2 could be.
  ItemBlock b;
  b.size = b.z.size = b.votes.size = 1;
  b.classes = b.z.width = 3;
  b.z.z = {1.0 - 1e-9, 1e-9, 0.0};
  b.votes.single = true;
  b.votes.cls = {0};
  EXPECT_NEAR(*scores(b).at("brier").value, 2e-18, 1e-16);
  EXPECT_GT(*scores(b).at("brier").value, 0.0);
}

}  // namespace
}  // namespace plumb
