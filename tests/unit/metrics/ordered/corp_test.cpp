#include "plumb/metrics/ordered/corp.hpp"

#include <gtest/gtest.h>

#include "plumb/metrics/ordered/isotonic.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

constexpr double kTolerance = 1e-13;  // a few hundred terms below one, each rounded a few times

using Loss = double (*)(double p, double hits, double misses);
double brier_loss(double p, double hits, double misses) { return hits * (1 - p) * (1 - p) + misses * p * p; }
double log_loss(double p, double hits, double misses) {
  return (hits > 0 ? -hits * std::log(p) : 0) + (misses > 0 ? -misses * std::log(1 - p) : 0);
}

// Reference: three mean scores, each from its definition.
struct NaiveParts {
  double mcb, dsc, unc, score;
};
NaiveParts naive_parts(const Column& c, Loss loss) {
  const auto blocks = isotonic_blocks(c.view());
  double total = 0, hits = 0;
  for (std::size_t i = 0; i < c.size(); ++i) total += c.mass(i), hits += c.gain(i);
  double score = 0, fitted = 0, base = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!(c.mass(i) > 0)) continue;
    const auto at =
        std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return c.p[i] <= b.high; });
    const double misses = c.mass(i) - c.gain(i);
    score += loss(c.p[i], c.gain(i), misses) / total;
    fitted += loss(at->mean(), c.gain(i), misses) / total;
    base += loss(hits / total, c.gain(i), misses) / total;
  }
  return {score - fitted, base - fitted, base, score};
}

void expect_parts(const CorpParts& got, const NaiveParts& want, std::uint64_t seed) {
  EXPECT_NEAR(*got.mcb.value, want.mcb, kTolerance) << "seed " << seed;
  EXPECT_NEAR(*got.dsc.value, want.dsc, kTolerance) << "seed " << seed;
  EXPECT_NEAR(*got.unc.value, want.unc, kTolerance) << "seed " << seed;
  EXPECT_NEAR(*got.mcb.value - *got.dsc.value + *got.unc.value, want.score, kTolerance) << "seed " << seed;
}

TEST(Corp, IsTheDefinition) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = random_column(o);
    expect_parts(corp_brier(c.view()), naive_parts(c, brier_loss), o.seed);
    expect_parts(corp_log(c.view(), 0), naive_parts(c, log_loss), o.seed);
  }
}

// Dimitriadis, Gneiting and Jordan 2021: recalibrated forecasts have no miscalibration left, and a monotone
// transformation changes miscalibration alone.
TEST(Corp, DiscriminationIsThatOfTheOrder) {
  Column c = random_column({.n = 300, .power = 1, .seed = 8});
  const CorpParts before = corp_brier(c.view()), before_log = corp_log(c.view(), 0);
  for (double& p : c.p) p = p * p;
  EXPECT_EQ(*corp_brier(c.view()).dsc.value, *before.dsc.value);
  EXPECT_EQ(*corp_log(c.view(), 0).dsc.value, *before_log.dsc.value);
  EXPECT_GT(*corp_brier(c.view()).mcb.value, *before.mcb.value);
  const auto blocks = isotonic_blocks(c.view());
  for (std::size_t i = 0, b = 0; i < c.size(); ++i) {
    while (blocks[b].high < c.p[i]) ++b;
    c.p[i] = blocks[b].mean();
  }
  EXPECT_NEAR(*corp_brier(c.view()).mcb.value, 0, kTolerance);
  EXPECT_NEAR(*corp_log(c.view(), 0).mcb.value, 0, kTolerance);
}

TEST(Corp, Edges) {
  const Column wrong{.p = {0, 1}, .hits = {1, 0}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*corp_brier(wrong.view()).mcb.value, 0.75);  // Brier 1, that of the fit (1/2, 1/2) is 1/4
  EXPECT_EQ(*corp_brier(wrong.view()).dsc.value, 0);
  const CorpParts infinite = corp_log(wrong.view(), 0);
  EXPECT_FALSE(infinite.mcb);
  EXPECT_NE(infinite.mcb.why.find("probability 0"), std::string::npos);
  EXPECT_NEAR(*infinite.unc.value, std::log(2), 1e-15);
  EXPECT_NEAR(*corp_log(wrong.view(), 0.01).mcb.value, -std::log(0.01) - std::log(2), 1e-12);
  const Column sure{.p = {0, 1}, .hits = {0, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(*corp_log(sure.view(), 0).mcb.value, 0);
  EXPECT_EQ(*corp_brier(sure.view()).dsc.value, 0.25);
  Column signs{.p = {0.2, 0.7}, .hits = {-0.6, 0.7}, .trials = {}, .weight = {}, .times = {}};
  signs.whole_counts = false;
  EXPECT_TRUE(corp_brier(signs.view()).mcb);
  EXPECT_FALSE(corp_log(signs.view(), 0).mcb);
}

}  // namespace
}  // namespace plumb::test
