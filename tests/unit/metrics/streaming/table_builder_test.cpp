#include <gtest/gtest.h>

#include <cmath>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "unit/metrics/streaming/simulate.hpp"

namespace plumb {
namespace {

using test::Column;
using test::ColumnShape;

BinEdges width(int bins) { return {bins, true, {}}; }

BinEdges thresholds(int count) {
  BinEdges c{count + 1, false, {}};
  for (int t = 0; t < count; ++t) c.thresholds.push_back(std::sqrt((t + 0.5) / count));
  return c;
}

ReliabilityTable build(const ForecastsView& f, const BinEdges& edges) {
  TableBuilder builder(edges);
  builder.update(f);
  return builder.finish();
}

/// An independent table of whole numbers: 128-bit integers, one item after the other.
struct NaiveBin {
  uint128 w = 0, q = 0, y = 0, ww = 0, yy = 0;
  std::uint64_t items = 0, votes = 0;
};
std::vector<NaiveBin> naive(const ForecastsView& f, const BinEdges& edges) {
  std::vector<NaiveBin> table(static_cast<std::size_t>(edges.count()));
  for (std::size_t i = 0; i < f.size(); ++i) {
    int at = 0;
    if (edges.equal_width) {
      at = static_cast<int>(f.p[i] * static_cast<double>(edges.bins));
      if (at == edges.bins) --at;
    } else {
      for (const double t : edges.thresholds) at += t <= f.p[i] ? 1 : 0;
    }
    const auto n = static_cast<std::uint64_t>(f.trials.empty() ? 1.0 : f.trials[i]);
    const std::uint64_t m = f.times.empty() ? 1 : f.times[i];
    if (m * n == 0) continue;
    const uint128 mass = static_cast<uint128>(m) * n;
    const uint128 hits = static_cast<uint128>(m) * static_cast<std::uint64_t>(f.hits[i]);
    NaiveBin& c = table[static_cast<std::size_t>(at)];
    c.items += 1;
    c.votes += n;
    c.w += mass;
    c.q += mass * static_cast<uint128>(std::nearbyint(std::ldexp(f.p[i], 50)));
    c.y += hits;
    c.ww += mass * mass;
    c.yy += hits * hits;
  }
  return table;
}

// Both sides hold the exact sum and round it once: no tolerance.
void expect_equal(const ReliabilityTable& t, const std::vector<NaiveBin>& expected, const std::string& what) {
  ASSERT_EQ(t.bins.size(), expected.size()) << what;
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const NaiveBin& e = expected[b];
    const Bin& c = t.bins[b];
    EXPECT_EQ(c.items, e.items) << what << ", cell " << b;
    EXPECT_EQ(c.votes, e.votes) << what << ", cell " << b;
    EXPECT_EQ(c.w.value(), static_cast<double>(e.w)) << what << ", cell " << b;
    EXPECT_EQ(c.wp.value(), std::ldexp(static_cast<double>(e.q), -50)) << what << ", cell " << b;
    EXPECT_EQ(c.wy.value(), static_cast<double>(e.y)) << what << ", cell " << b;
    EXPECT_EQ(c.ww.value(), static_cast<double>(e.ww)) << what << ", cell " << b;
    EXPECT_EQ(c.wwyy.value(), static_cast<double>(e.yy)) << what << ", cell " << b;
  }
}

TEST(TableBuilder, WholeNumbersEqualTheNaiveTable) {
  for (const BinEdges& edges :
       {width(1), width(2), width(15), width(128), width(1000), width(3000), thresholds(0), thresholds(1),
        thresholds(14), thresholds(63), thresholds(64), thresholds(500)}) {
    for (const ColumnShape shape : {ColumnShape{}, ColumnShape{.trials = true}, ColumnShape{.times = true},
                                    ColumnShape{.trials = true, .times = true}}) {
      for (const std::size_t n : {0, 1, 7, 8, 9, 511, 512, 513, 5000}) {
        const Column column = test::random_column(n, shape, 17 * n + 1);
        const std::string what = std::to_string(edges.count()) + " bins, " + std::to_string(n) +
                                 " forecasts, trials " + std::to_string(shape.trials) + ", times " +
                                 std::to_string(shape.times);
        expect_equal(build(column.view(), edges), naive(column.view(), edges), what);
      }
    }
  }
}

TEST(TableBuilder, EdgesAndTheirNeighboursOnEverySimdTarget) {
  test::on_every_simd_target([](const std::string& target) {
    for (int bins = 1; bins <= 1200; bins += bins < 130 ? 1 : 97) {
      Column column;
      for (int k = 0; k <= bins; ++k) {
        const double edge = static_cast<double>(k) / bins;
        for (const double p : {std::nextafter(edge, 0.0), edge, std::nextafter(edge, 1.0),
                               static_cast<double>(static_cast<float>(edge))}) {
          column.p.push_back(std::min(p, 1.0));
          column.hits.push_back(k % 2);
        }
      }
      const std::string what = target + ", " + std::to_string(bins) + " bins";
      expect_equal(build(column.view(), width(bins)), naive(column.view(), width(bins)), what);
      column.trials.assign(column.size(), 1.0);
      expect_equal(build(column.view(), width(bins)), naive(column.view(), width(bins)),
                   what + ", whole path");
    }
  });
}

TEST(TableBuilder, SameBitsForAnyOrderSplitAndSimdTarget) {
  for (const BinEdges& edges : {width(15), thresholds(14)}) {
    for (const ColumnShape shape :
         {ColumnShape{}, ColumnShape{.trials = true}, ColumnShape{.times = true}, ColumnShape{.weight = true},
          ColumnShape{.trials = true, .weight = true, .times = true}}) {
      const Column column = test::random_column(4000, shape, 5);
      const ReliabilityTable expected = build(column.view(), edges);
      test::on_every_simd_target(
          [&](const std::string& target) { EXPECT_EQ(build(column.view(), edges), expected) << target; });
      EXPECT_EQ(build(column.pick(test::random_order(4000, 6)).view(), edges), expected);
      RandomStream r(7, Purpose::split);
      TableBuilder pieces(edges);
      ReliabilityTable merged(edges);
      for (std::size_t begin = 0; begin < column.size();) {
        const std::size_t count = std::min<std::size_t>(r.below(700), column.size() - begin);
        const ForecastsView piece = column.view().slice(begin, count);
        pieces.update(piece);
        merged.merge(build(piece, edges));
        begin += count;
      }
      EXPECT_EQ(pieces.finish(), expected);
      EXPECT_EQ(merged, expected);
    }
  }
}

TEST(TableBuilder, PathsAgreeWhereTheyOverlap) {
  const BinEdges edges = width(15);
  Column column = test::random_column(3000, {}, 8);
  const ReliabilityTable binary = build(column.view(), edges);
  column.trials.assign(column.size(), 1.0);
  EXPECT_EQ(build(column.view(), edges), binary) << "trials of one";
  column.weight.assign(column.size(), 1.0);
  EXPECT_EQ(build(column.view(), edges), binary) << "weights of one";
  column.weight.clear();
  column.times.assign(column.size(), 1);
  EXPECT_EQ(build(column.view(), edges), binary) << "drawn once";
  ForecastsView real = column.view();
  real.whole_counts = false;
  EXPECT_EQ(build(real, edges), binary) << "hits declared real";

  Column drawn = test::random_column(3000, {.trials = true, .times = true}, 9);
  const ReliabilityTable by_times = build(drawn.view(), edges);
  for (const std::uint32_t m : drawn.times) drawn.weight.push_back(m);
  drawn.times.clear();
  EXPECT_EQ(build(drawn.view(), edges), by_times) << "weight m is times m";
}

TEST(TableBuilder, WeightedSumsEqualTheNaiveOnes) {
  // The naive sums are rounded at every step, in long double:
  // 1e-16 of the sum of a few thousand terms at most.
  constexpr double kRounding = 1e-15;
  const Column column = test::random_column(5000, {.trials = true, .weight = true, .times = true}, 10);
  const ReliabilityTable t = build(column.view(), width(10));
  for (int b = 0; b < 10; ++b) {
    long double w = 0, wp = 0, wy = 0, ww = 0, wwyy = 0;
    std::uint64_t items = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (std::min(static_cast<int>(column.p[i] * 10), 9) != b) continue;
      const long double m = static_cast<long double>(column.weight[i]) * column.times[i];
      const long double n = m * static_cast<long double>(column.trials[i]);
      const long double h = m * static_cast<long double>(column.hits[i]);
      w += n;
      wp += n * static_cast<long double>(column.p[i]);
      wy += h;
      ww += n * n;
      wwyy += h * h;
      items += n > 0 ? 1 : 0;
    }
    const Bin& c = t.bins[static_cast<std::size_t>(b)];
    EXPECT_EQ(c.items, items);
    const auto near = [&](const ExactSum& sum, long double expected) {
      EXPECT_NEAR(sum.value(), static_cast<double>(expected), kRounding * static_cast<double>(w + ww));
    };
    near(c.w, w);
    near(c.wp, wp);
    near(c.wy, wy);
    near(c.ww, ww);
    near(c.wwyy, wwyy);
  }
}

TEST(TableBuilder, ItemsWithoutMassCountNowhere) {
  Column column;
  column.p = {0.1, 0.5, 0.9, 0.3};
  column.hits = {0, 1, 1, 0};
  column.trials = {0, 1, 1, 1};
  const Bin with_trials = build(column.view(), width(5)).total();
  EXPECT_EQ(with_trials.items, 3u);
  column.times = {1, 0, 1, 1};
  const Bin with_times = build(column.view(), width(5)).total();
  EXPECT_EQ(with_times.items, 2u);
  EXPECT_EQ(with_times.votes, 2u);
  column.weight = {1, 1, 0, 2};
  const Bin with_weights = build(column.view(), width(5)).total();
  EXPECT_EQ(with_weights.items, 1u);
  EXPECT_EQ(with_weights.votes, 1u);
  EXPECT_EQ(with_weights.w.value(), 2.0);
}

TEST(TableBuilder, VotesWrittenOutAsRowsGiveTheSameSums) {
  const Column items = test::random_column(2000, {.trials = true}, 11);
  Column rows;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (double v = 0; v < items.trials[i]; ++v) {
      rows.p.push_back(items.p[i]);
      rows.hits.push_back(v < items.hits[i] ? 1 : 0);
    }
  }
  const ReliabilityTable a = build(items.view(), width(15));
  const ReliabilityTable b = build(rows.view(), width(15));
  for (std::size_t c = 0; c < a.bins.size(); ++c) {
    EXPECT_EQ(a.bins[c].w, b.bins[c].w);
    EXPECT_EQ(a.bins[c].wp, b.bins[c].wp);
    EXPECT_EQ(a.bins[c].wy, b.bins[c].wy);
    EXPECT_EQ(a.bins[c].votes, b.bins[c].votes);
  }
}

// A counter in float32 would stop at 2^24; p = 1 fills the fixed-point sums as fast as anything can.
TEST(TableBuilder, CountsFarBeyondTwoToThe24) {
  constexpr std::uint64_t kForecasts = (std::uint64_t{1} << 25) + 12345;
  constexpr std::size_t kPiece = 1 << 16;
  for (const double p : {1.0, 0.3}) {
    Column column;
    column.p.assign(kPiece, p);
    column.hits.assign(kPiece, 1.0);
    TableBuilder builder(width(15));
    for (std::uint64_t left = kForecasts; left > 0;) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPiece));
      builder.update(column.view().slice(0, n));
      left -= n;
    }
    const Bin total = builder.finish().total();
    EXPECT_EQ(total.items, kForecasts);
    EXPECT_EQ(total.wy.value(), static_cast<double>(kForecasts));
    const auto q = static_cast<uint128>(to_fixed(p)) * kForecasts;
    EXPECT_EQ(total.wp.value(), std::ldexp(static_cast<double>(q), -50));
  }
}

TEST(TableBuilder, ManySmallUpdatesNeverOverflowAPair) {
  Column column;
  column.p = {1.0};
  column.hits = {1.0};
  TableBuilder builder(width(3));
  constexpr std::uint64_t kUpdates = 70000;  // each goes to the first of the private tables
  for (std::uint64_t i = 0; i < kUpdates; ++i) builder.update(column.view());
  const Bin total = builder.finish().total();
  EXPECT_EQ(total.items, kUpdates);
  EXPECT_EQ(total.wp.value(), static_cast<double>(kUpdates));
}

TEST(TableBuilder, ItemsWithBillionsOfVotes) {
  Column column;
  for (const double n : {4294967295.0, 4294967296.0, 3e9, 1.0, 2e9, 8589934592.0, 5e9, 4294967295.0}) {
    column.p.push_back(0.7);
    column.trials.push_back(n);
    column.hits.push_back(std::floor(n / 3));
  }
  expect_equal(build(column.view(), width(15)), naive(column.view(), width(15)), "trials");
  for (double& n : column.trials) n = std::fmod(n, 65536.0);
  for (std::size_t i = 0; i < column.size(); ++i) {
    column.hits[i] = std::floor(column.trials[i] / 3);
    column.times.push_back(4294967295u);
  }
  expect_equal(build(column.view(), width(15)), naive(column.view(), width(15)), "times");
}

TEST(TableBuilder, FinishLeavesItEmpty) {
  const Column column = test::random_column(100, {}, 15);
  TableBuilder builder(width(15));
  EXPECT_EQ(builder.finish(), ReliabilityTable(width(15)));
  builder.update(column.view());
  const ReliabilityTable first = builder.finish();
  EXPECT_EQ(builder.finish(), ReliabilityTable(width(15)));
  builder.update(column.view());
  EXPECT_EQ(builder.finish(), first);
}

TEST(TableBuilder, WeightsTooLargeForASumAreRefused) {
  Column column = test::random_column(1, {}, 16);
  column.weight = {1e40};
  TableBuilder builder(width(15));
  EXPECT_THROW(builder.update(column.view()), std::range_error);
}

}  // namespace
}  // namespace plumb
