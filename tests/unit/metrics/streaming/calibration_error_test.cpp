#include "plumb/metrics/streaming/calibration_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/metrics/streaming/proper_scores.hpp"
#include "unit/metrics/passes.hpp"
#include "unit/metrics/streaming/simulate.hpp"

namespace plumb {
namespace {

using test::Column;

// A few roundings of numbers of order one.
constexpr double kRounding = 1e-14;
// p enters as the nearest multiple of 2^-50.
constexpr double kFixedPoint = 0x1p-51;

BinEdges width(int bins) { return {bins, true, {}}; }

ReliabilityTable table_of(const Column& c, int bins) { return reliability_table(c.view(), width(bins), 1); }

Column four_items() {
  Column c;
  c.p = {0.25, 0.25, 0.75, 1.0};
  c.hits = {0, 1, 1, 1};
  return c;
}

TEST(CalibrationError, GoldenByHand) {
  // Two bins of two items: gaps 0.25 - 0.5 and 0.875 - 1.
  const ReliabilityTable t = table_of(four_items(), 2);
  EXPECT_DOUBLE_EQ(*ece(t).value, 0.1875);
  EXPECT_DOUBLE_EQ(*ece_l2(t).value, std::sqrt(0.0390625));
  EXPECT_DOUBLE_EQ(*mce(t).value, 0.25);
  // 0.0625 - 0.25 / (2 - 1) in the first bin, 0.015625 - 0 in the second.
  EXPECT_DOUBLE_EQ(*ece_l2_debiased(t).value, -std::sqrt(0.0859375));
  EXPECT_DOUBLE_EQ(*oe_ratio(t).value, 3 / 2.25);
  EXPECT_DOUBLE_EQ(*mean_gap(t).value, 0.1875) << "both gaps have one sign";
  const BrierParts b = brier_parts(t);
  EXPECT_DOUBLE_EQ(b.reliability, 0.0390625);
  EXPECT_DOUBLE_EQ(b.resolution, 0.0625);
  EXPECT_DOUBLE_EQ(b.uncertainty, 0.1875);
}

struct NaiveErrors {
  long double ece = 0, l2 = 0, mce = 0, debiased = 0;
};

/// The definitions as written; the debiased error over all pairs of distinct items of a bin, O(n^2).
NaiveErrors naive(const Column& c, int bins) {
  NaiveErrors e;
  long double all = 0;
  for (std::size_t i = 0; i < c.size(); ++i) all += c.view().weight_of(i) * c.view().trials_of(i);
  for (int b = 0; b < bins; ++b) {
    std::vector<std::size_t> in;
    long double w = 0, wp = 0, wy = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const long double v = c.view().weight_of(i);
      const long double mass = v * c.view().trials_of(i);
      if (std::min(static_cast<int>(c.p[i] * bins), bins - 1) != b || mass == 0) continue;
      in.push_back(i);
      w += mass;
      wp += mass * c.p[i];
      wy += v * c.hits[i];
    }
    if (in.empty()) continue;
    const long double gap = std::abs(wp - wy) / w;
    e.ece += w / all * gap;
    e.l2 += w / all * gap * gap;
    e.mce = std::max(e.mce, gap);
    if (in.size() < 2) continue;
    long double pairs = 0, hits = 0;
    for (const std::size_t i : in) {
      for (const std::size_t j : in) {
        if (i == j) continue;
        const long double vi = c.view().weight_of(i), vj = c.view().weight_of(j);
        pairs += vi * c.view().trials_of(i) * vj * c.view().trials_of(j);
        hits += vi * c.hits[i] * vj * c.hits[j];
      }
    }
    const long double mean_p = wp / w, mean_y = wy / w;
    e.debiased += w / all * (hits / pairs - 2 * mean_y * mean_p + mean_p * mean_p);
  }
  e.l2 = std::sqrt(e.l2);
  e.debiased = std::copysign(std::sqrt(std::abs(e.debiased)), e.debiased);
  return e;
}

TEST(CalibrationError, EqualsTheNaiveSums) {
  // The signed root near 0 magnifies the rounding of its square.
  constexpr double kRootRounding = 1e-10;
  for (const test::ColumnShape shape :
       {test::ColumnShape{}, test::ColumnShape{.trials = true},
        test::ColumnShape{.trials = true, .weight = true}, test::ColumnShape{.weight = true},
        test::ColumnShape{.trials = true, .times = true}}) {
    for (const int bins : {1, 4, 15, 100}) {
      for (const std::size_t n : {3, 40, 400}) {
        const Column c = test::random_column(n, shape, 100 * n + static_cast<std::size_t>(bins));
        const ReliabilityTable t = table_of(c, bins);
        const NaiveErrors e = naive(c, bins);
        if (t.total().items == 0) continue;
        EXPECT_NEAR(*ece(t).value, static_cast<double>(e.ece), kRounding);
        EXPECT_NEAR(*ece_l2(t).value, static_cast<double>(e.l2), kRounding);
        EXPECT_NEAR(*mce(t).value, static_cast<double>(e.mce), kRounding);
        const Estimate debiased = ece_l2_debiased(t);
        if (debiased) {
          EXPECT_NEAR(*debiased.value, static_cast<double>(e.debiased), kRootRounding)
              << bins << " bins, " << n << " items";
        }
      }
    }
  }
}

/// What a calibration error is estimated for: bin b of B = 4 has P(y = 1) = kEvent[b], whatever p in it.
constexpr double kEvent[] = {0.2, 0.3, 0.55, 0.8};

struct Simulation {
  bool several_votes = false;  ///< 1 to 5, dependent: the item's own probability is kEvent[b] -+ 0.19
  bool weights = false;
};

struct MeanSquares {
  double debiased = 0, debiased_se = 0, plugin = 0, truth = 0;
};

MeanSquares simulate(const Simulation& s, std::uint64_t seed) {
  constexpr int kItems = 60;
  constexpr int kReplicates = 4000;
  RandomStream r(seed, Purpose::demo);
  Column c;
  for (int i = 0; i < kItems; ++i) {
    c.p.push_back(r.uniform());
    if (s.several_votes) c.trials.push_back(1 + static_cast<double>(r.below(5)));
    if (s.weights) c.weight.push_back(0.2 + 2 * r.uniform());
  }
  MeanSquares m;
  double sum = 0, squares = 0;
  for (int rep = 0; rep < kReplicates; ++rep) {
    c.hits.assign(kItems, 0.0);
    for (std::size_t i = 0; i < kItems; ++i) {
      double event = kEvent[std::min(static_cast<int>(c.p[i] * 4), 3)];
      if (s.several_votes) event += r.uniform() < 0.5 ? -0.19 : 0.19;
      for (double v = 0; v < c.view().trials_of(i); ++v) c.hits[i] += r.uniform() < event ? 1 : 0;
    }
    const ReliabilityTable t = table_of(c, 4);
    const double root = *ece_l2_debiased(t).value;
    const double x = root * std::abs(root);
    sum += x;
    squares += x * x;
    m.plugin += *ece_l2(t).value * *ece_l2(t).value / kReplicates;
    if (rep > 0) continue;
    for (std::size_t b = 0; b < 4; ++b) {  // p, votes and weights are the same in every replicate
      const double gap = kEvent[b] - t.bins[b].mean_p();
      m.truth += t.bins[b].w.value() / t.total().w.value() * gap * gap;
    }
  }
  m.debiased = sum / kReplicates;
  m.debiased_se = std::sqrt((squares / kReplicates - m.debiased * m.debiased) / kReplicates);
  return m;
}

TEST(CalibrationError, DebiasedIsUnbiasedForTheSquaredErrorGivenTheForecasts) {
  constexpr double kStandardErrors = 4;  // one run in 16,000 would fail by chance; the seeds are fixed
  for (const Simulation s :
       {Simulation{}, Simulation{.several_votes = true}, Simulation{.several_votes = true, .weights = true},
        Simulation{.weights = true}}) {
    const MeanSquares m = simulate(s, 21);
    EXPECT_NEAR(m.debiased, m.truth, kStandardErrors * m.debiased_se)
        << "several votes " << s.several_votes << ", weights " << s.weights;
    EXPECT_GT(m.plugin - m.truth, 2 * kStandardErrors * m.debiased_se)
        << "the plug-in error would pass as well";
  }
}

TEST(CalibrationError, DebiasingIsByItemNotByVote) {
  // Ten votes that always agree have the information of one.
  Column one = test::random_column(200, {}, 31);
  Column ten = one;
  for (double& h : ten.hits) h *= 10;
  ten.trials.assign(ten.size(), 10.0);
  EXPECT_NEAR(*ece_l2_debiased(table_of(ten, 15)).value, *ece_l2_debiased(table_of(one, 15)).value,
              kRounding);
}

TEST(CalibrationError, OneItemThatOutweighsTheRestStillCounts) {
  Column c;
  c.p = {0.5, 0.5};
  c.hits = {1, 0};
  for (const double heavy : {1.0, 2.0, 1e3, 1e12, 1e17}) {
    c.weight = {heavy, 1.0};
    // Distinct pairs have y_i y_j = 0: 0 - 2 c p + p^2 is left.
    const double mean = heavy / (heavy + 1);
    EXPECT_NEAR(*ece_l2_debiased(table_of(c, 1)).value, -std::sqrt(mean - 0.25), kRounding) << heavy;
  }
}

TEST(CalibrationError, NoVotesIsSaid) {
  Column none;
  Column massless = four_items();
  massless.weight.assign(4, 0.0);
  for (const Column& c : {none, massless}) {
    const ReliabilityTable t = table_of(c, 15);
    for (const Estimate& e : {ece(t), ece_l2(t), mce(t), ece_l2_debiased(t), mean_gap(t), oe_ratio(t)}) {
      EXPECT_FALSE(e);
      EXPECT_EQ(e.why, kNoVotes);
    }
    const std::vector<ReliabilityTable> classes{t, t};
    EXPECT_FALSE(ece_classwise(classes));
  }
  EXPECT_FALSE(ece_classwise({}));
}

TEST(CalibrationError, OneItem) {
  Column c;
  c.p = {0.7};
  c.hits = {1};
  const ReliabilityTable t = table_of(c, 15);
  EXPECT_DOUBLE_EQ(*ece(t).value, 1 - 0.7);
  EXPECT_DOUBLE_EQ(*ece_l2(t).value, 1 - 0.7);
  EXPECT_DOUBLE_EQ(*mce(t).value, 1 - 0.7);
  EXPECT_FALSE(ece_l2_debiased(t));
  EXPECT_NE(ece_l2_debiased(t).why.find("two items"), std::string::npos);
}

TEST(CalibrationError, DebiasedTellsHowManyItemsEntered) {
  Column c = four_items();
  EXPECT_EQ(ece_l2_debiased(table_of(c, 2)).items, -1);
  c.p.push_back(0.5);  // alone in the middle bin of three; the other bins hold two items each
  c.hits.push_back(1);
  const Estimate e = ece_l2_debiased(table_of(c, 3));
  EXPECT_EQ(e.items, 4);
  const double without = (0.4 * (0.0625 - 0.25) + 0.4 * 0.015625);  // the lone item keeps its share of N
  EXPECT_DOUBLE_EQ(*e.value, -std::sqrt(-without));
}

TEST(CalibrationError, ConstantForecastsKeepTheirGap) {
  Column c;
  c.p.assign(100, 0.3);
  c.hits.assign(100, 0.0);
  for (std::size_t i = 0; i < 50; ++i) c.hits[i] = 1;
  for (const int bins : {1, 15, 1000}) {
    EXPECT_NEAR(*ece(table_of(c, bins)).value, 0.2, kFixedPoint);
    EXPECT_NEAR(*mce(table_of(c, bins)).value, 0.2, kFixedPoint);
  }
}

TEST(CalibrationError, CertainForecastsThatComeTrueHaveNoError) {
  Column c;
  c.p = {0, 0, 1, 1, 1};
  c.hits = {0, 0, 1, 1, 1};
  const ReliabilityTable t = table_of(c, 15);
  EXPECT_EQ(*ece(t).value, 0.0);
  EXPECT_EQ(*mce(t).value, 0.0);
  EXPECT_EQ(*ece_l2_debiased(t).value, 0.0);
  EXPECT_EQ(*oe_ratio(t).value, 1.0);
}

TEST(CalibrationError, NothingExpected) {
  Column c;
  c.p = {0, 0};
  c.hits = {0, 1};
  const Estimate e = oe_ratio(table_of(c, 15));
  EXPECT_FALSE(e);
  EXPECT_NE(e.why.find("expected"), std::string::npos);
}

TEST(CalibrationError, ClasswiseIsTheMeanOverClasses) {
  const ReliabilityTable a = table_of(test::random_column(100, {}, 41), 15);
  const ReliabilityTable b = table_of(test::random_column(100, {}, 42), 15);
  const std::vector<ReliabilityTable> classes{a, b};
  EXPECT_DOUBLE_EQ(*ece_classwise(classes).value, (*ece(a).value + *ece(b).value) / 2);
}

TEST(BrierParts, AddUpWhenABinHoldsOneValue) {
  // With p constant inside each bin nothing is left within: brier = reliability - resolution + uncertainty.
  Column c = test::random_column(1000, {.trials = true}, 51);
  double brier = 0, votes = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    c.p[i] = (std::min(std::floor(c.p[i] * 10), 9.0) + 0.5) / 10;
    brier += c.hits[i] * (1 - c.p[i]) * (1 - c.p[i]) + (c.trials[i] - c.hits[i]) * c.p[i] * c.p[i];
    votes += c.trials[i];
  }
  const BrierParts b = brier_parts(table_of(c, 10));
  EXPECT_NEAR(b.reliability - b.resolution + b.uncertainty, brier / votes,
              1e-12);  // a sum of a thousand terms
}

TEST(BrierParts, EmptyTableHasNoParts) {
  const BrierParts b = brier_parts(ReliabilityTable(width(15)));
  EXPECT_EQ(b.reliability, 0);
  EXPECT_EQ(b.resolution, 0);
  EXPECT_EQ(b.uncertainty, 0);
}

}  // namespace
}  // namespace plumb
