#include "plumb/regression/sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/regression/make_regression.hpp"

namespace plumb::test {
namespace {

// Rounding of a few operations an entry in the naive sums.
constexpr double kNaive = 1e-11;

double value(const Scores& s, const char* key) { return s.at(key).value.value_or(NAN); }

Scores scores_of(const RegressionItems& items) { return sum_scores(regression_sums(items, {}, 2).total()); }

TEST(RegressionSums, GoldenByHand) {
  // z = 1, -2, 0 with sigma = 1, 2, 0.5.
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, -4, 0}, {3}, "e"));
  items.total = Rows(array_of(std::vector<double>{1, 4, 0.25}, {3}, "v"));
  const Scores s = scores_of(items);
  EXPECT_DOUBLE_EQ(value(s, "mse"), 17.0 / 3);
  EXPECT_DOUBLE_EQ(value(s, "mae"), 5.0 / 3);
  EXPECT_DOUBLE_EQ(value(s, "zms"), 5.0 / 3);
  EXPECT_NEAR(value(s, "nll"),
              0.5 * std::log(2 * M_PI) + 0.5 * (std::log(4.0) + std::log(0.25)) / 3 + 5.0 / 6, 1e-15);
  // Laplace: log(2 b) + |e| / b with b = sigma / sqrt(2); the logs of the sigmas cancel.
  EXPECT_NEAR(value(s, "nll_laplace"), 0.5 * std::log(2.0) + std::sqrt(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(value(s, "coverage_50"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value(s, "coverage_90"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value(s, "coverage_95"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value(s, "coverage_99"), 1.0);
  EXPECT_NEAR(value(s, "width_95"), 2 * 1.959963984540054 * 3.5 / 3, 1e-14);
  EXPECT_DOUBLE_EQ(value(s, "sharpness"), std::sqrt(5.25 / 3));
}

TEST(RegressionSums, AgreesWithNaiveSums) {
  for (const int outputs : {1, 3}) {
    const SimulatedRegression s =
        simulate({.n = 9000 / outputs, .outputs = outputs, .factor = 1.5, .weights = outputs == 3});
    const Scores got = scores_of(s.items());
    double w = 0, mse = 0, mae = 0, nll = 0, laplace = 0, zms = 0, inside = 0, crps = 0;
    for (std::size_t k = 0; k < s.mean.size(); ++k) {
      const double weight = s.weight.empty() ? 1 : s.weight[k / static_cast<std::size_t>(outputs)];
      const double e = s.target[k] - s.mean[k], v = s.variance[k], sd = std::sqrt(v), z = e / sd,
                   b = std::sqrt(v / 2);
      w += weight;
      mse += weight * e * e;
      mae += weight * std::abs(e);
      nll += weight * 0.5 * (std::log(2 * M_PI * v) + z * z);
      laplace += weight * (std::log(2 * b) + std::abs(e) / b);
      zms += weight * z * z;
      inside += weight * (std::abs(z) <= 1.6448536269514722);
      crps += weight * sd *
              (z * std::erf(z / std::sqrt(2.0)) + 2 * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) -
               1 / std::sqrt(M_PI));
    }
    EXPECT_NEAR(value(got, "mse"), mse / w, kNaive);
    EXPECT_NEAR(value(got, "mae"), mae / w, kNaive);
    EXPECT_NEAR(value(got, "nll"), nll / w, kNaive);
    EXPECT_NEAR(value(got, "nll_laplace"), laplace / w, kNaive);
    EXPECT_NEAR(value(got, "zms"), zms / w, kNaive);
    EXPECT_NEAR(value(got, "coverage_90"), inside / w, kNaive);
    EXPECT_NEAR(value(got, "crps"), crps / w, kNaive);
  }
}

TEST(RegressionSums, UceAgreesWithNaiveBinsAndKeepsTheSmallest) {
  const SimulatedRegression s = simulate({.n = 3000, .outputs = 2, .factor = 1.4, .parts = true});
  const RegressionItems items = s.items();
  const UncertaintyRanges r = uncertainty_ranges(items, 0, 2);
  RegressionPlan plan;
  plan.variance = r.variance;
  plan.aleatoric = r.aleatoric;
  plan.mc = true;
  const RegressionSums sums = regression_sums(items, plan, 2);
  const auto naive = [&](bool second, bool aleatoric) {
    std::vector<double> u, e;
    for (std::size_t i = 0; i < 3000; ++i) {
      double a = 0, p = 0, err = 0;
      for (std::size_t j = 0; j < 2; ++j) {
        a += s.aleatoric[2 * i + j] / 2;
        p += s.epistemic[2 * i + j] / 2;
        err += std::pow(s.target[2 * i + j] - s.mean[2 * i + j], 2) / 2;
      }
      u.push_back(aleatoric ? a : a + p);
      e.push_back(second ? err + p : err);
    }
    const double lo = *std::min_element(u.begin(), u.end()), hi = *std::max_element(u.begin(), u.end());
    std::vector<double> gap(15);
    std::size_t placed = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const auto b = static_cast<std::size_t>(std::min(14.0, std::floor((u[i] - lo) / (hi - lo) * 15)));
      gap[b] += e[i] - u[i];
      ++placed;
    }
    EXPECT_EQ(placed, u.size());
    double sum = 0;
    for (const double g : gap) sum += std::abs(g) / static_cast<double>(u.size());
    return sum;
  };
  EXPECT_NEAR(*uce(sums.uce).value, naive(false, false), kNaive);
  EXPECT_NEAR(*uce(sums.uce_mc).value, naive(true, false), kNaive);
  EXPECT_NEAR(*uce(sums.uce_aleatoric).value, naive(false, true), kNaive);
  std::uint64_t items_in_bins = 0;
  for (const auto& c : sums.uce.bins) items_in_bins += c.items;
  EXPECT_EQ(items_in_bins, 3000u);
  EXPECT_EQ(sums.uce.dropped, 0u);
}

TEST(RegressionSums, ARangeDropsAndCounts) {
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, 1, 1, 1}, {4}, "e"));
  items.total = Rows(array_of(std::vector<double>{0.5, 1, 2, 5}, {4}, "v"));
  RegressionPlan plan;
  plan.variance = RegressionRange{1, 2};
  const RegressionSums s = regression_sums(items, plan, 1);
  EXPECT_EQ(s.uce.dropped, 2u);
  EXPECT_EQ(s.uce.bins.front().items, 1u);
  EXPECT_EQ(s.uce.bins.back().items, 1u);
  EXPECT_DOUBLE_EQ(*uce(s.uce).value, 0.5);  // gaps 0 and 1 over two items
}

TEST(RegressionSums, SameBitsForThreadsOrderAndMerge) {
  const SimulatedRegression s =
      simulate({.n = 7000, .outputs = 2, .parts = true, .weights = true, .seed = 4});
  const UncertaintyRanges r = uncertainty_ranges(s.items(), 0, 1);
  RegressionPlan plan;
  plan.variance = r.variance;
  plan.aleatoric = r.aleatoric;
  plan.mc = true;
  const RegressionSums one = regression_sums(s.items(), plan, 1);
  EXPECT_EQ(one, regression_sums(s.items(), plan, 2));
  EXPECT_EQ(one, regression_sums(s.items(), plan, 16));
  const auto rows = shuffled(7000, 9);
  EXPECT_EQ(one, regression_sums(s.take(rows).items(), plan, 3));
  RegressionSums merged;
  for (std::size_t begin = 0; begin < rows.size();) {
    const std::size_t end = std::min(rows.size(), begin + 1234);
    const std::vector<std::size_t> part(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                        rows.begin() + static_cast<std::ptrdiff_t>(end));
    merged.merge(regression_sums(s.take(part).items(), plan, 2));
    begin = end;
  }
  EXPECT_EQ(one, merged);
  merged.merge(RegressionSums());
  EXPECT_EQ(one, merged);
}

TEST(RegressionSums, WeightTwoIsTheRowTwice) {
  SimulatedRegression s = simulate({.n = 2000, .weights = true});
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 2000; ++i) rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
  const SimulatedRegression twice = s.take(rows);
  for (std::size_t i = 0; i < 2000; i += 3) s.weight[i] *= 2;
  const Scores a = scores_of(s.items()), b = scores_of(twice.items());
  for (const auto& [key, x] : a) EXPECT_NEAR(*x.value, *b.at(key).value, 1e-12) << key;
}

TEST(RegressionSums, ZeroVarianceLeavesSomeKeysUndefined) {
  RegressionItems items;
  items.errors = Rows(array_of(std::vector<double>{1, 0, 3}, {3}, "e"));
  items.total = Rows(array_of(std::vector<double>{1, 0, 0}, {3}, "v"));
  const Scores s = scores_of(items);
  EXPECT_FALSE(s.at("nll").value);
  EXPECT_NE(s.at("nll").why.find("2 predictions of variance 0"), std::string::npos) << s.at("nll").why;
  EXPECT_FALSE(s.at("zms").value);
  EXPECT_DOUBLE_EQ(value(s, "coverage_90"), 2.0 / 3);  // an error of 0 lies in an interval of width 0
  EXPECT_NEAR(value(s, "crps"), (0.60244135762761618520 + 0 + 3) / 3, 1e-15);
  RegressionPlan plan;
  plan.clip = 0.25;
  const RegressionSums clipped = regression_sums(items, plan, 1);
  EXPECT_EQ(clipped.clipped, 2u);
  const Scores c = sum_scores(clipped.total());
  EXPECT_DOUBLE_EQ(value(c, "zms"), (1.0 + 0 + 36) / 3);
}

TEST(RegressionSums, NothingThere) {
  const Scores s = sum_scores(OutputSums());
  for (const auto& [key, x] : s) {
    EXPECT_FALSE(x.value) << key;
    EXPECT_FALSE(x.why.empty()) << key;
  }
  EXPECT_FALSE(uce(UncertaintyBins(15, 0, 1)).value);
}

}  // namespace
}  // namespace plumb::test
