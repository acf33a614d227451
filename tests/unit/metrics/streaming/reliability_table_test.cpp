#include "plumb/metrics/streaming/reliability_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "unit/metrics/passes.hpp"
#include "unit/metrics/streaming/simulate.hpp"

namespace plumb {
namespace {

BinEdges width(int bins) { return {bins, true, {}}; }

TEST(BinEdges, EveryProbabilityHasOneBinOfEqualWidth) {
  for (const int bins : {1, 2, 3, 7, 15, 49, 100, 1000}) {
    const BinEdges edges = width(bins);
    EXPECT_EQ(edges.count(), bins);
    EXPECT_EQ(edges.bin_of(0.0), 0);
    EXPECT_EQ(edges.bin_of(-0.0), 0);
    EXPECT_EQ(edges.bin_of(1.0), bins - 1);
    EXPECT_EQ(edges.bin_of(std::nextafter(1.0, 0.0)), bins - 1);
    for (int b = 0; b < bins; ++b) EXPECT_EQ(edges.bin_of((b + 0.5) / bins), b);
  }
}

TEST(BinEdges, EdgesFollowTheStatedRule) {
  EXPECT_EQ(width(10).bin_of(0.1), 1);  // as stated in double: 0.1 * 10 is 1
  EXPECT_EQ(width(10).bin_of(std::nextafter(0.1, 0.0)), 0);
  EXPECT_EQ(width(10).bin_of(0.7), 7);
  EXPECT_EQ(width(10).bin_of(0.29), 2);
  EXPECT_EQ(width(100).bin_of(0.29), 28);    // 0.29 * 100 is 28.999999999999996 in double
  EXPECT_EQ(width(49).bin_of(1.0 / 49), 0);  // (1 / 49) * 49 is just below 1 in double
}

TEST(BinEdges, BoundsOfEqualWidth) {
  EXPECT_EQ(width(4).low(0), 0.0);
  EXPECT_EQ(width(4).low(3), 0.75);
  EXPECT_EQ(width(4).high(0), 0.25);
  EXPECT_EQ(width(15).high(14), 1.0);
}

TEST(BinEdges, ThresholdsCountThoseNotAbove) {
  const BinEdges edges{15, false, {0.25, 0.5, 0.9}};
  EXPECT_EQ(edges.count(), 4);
  EXPECT_EQ(edges.bin_of(0.0), 0);
  EXPECT_EQ(edges.bin_of(0.25), 1);
  EXPECT_EQ(edges.bin_of(std::nextafter(0.25, 0.0)), 0);
  EXPECT_EQ(edges.bin_of(0.89), 2);
  EXPECT_EQ(edges.bin_of(1.0), 3);
  EXPECT_EQ(edges.low(0), 0.0);
  EXPECT_EQ(edges.high(0), 0.25);
  EXPECT_EQ(edges.low(3), 0.9);
  EXPECT_EQ(edges.high(3), 1.0);
  const BinEdges one{15, false, {}};
  EXPECT_EQ(one.count(), 1);
  EXPECT_EQ(one.bin_of(0.3), 0);
  EXPECT_EQ(one.high(0), 1.0);
}

TEST(BinEdges, SearchAgreesWithCounting) {
  for (std::size_t n = 0; n < 40; ++n) {
    BinEdges edges{100, false, {}};
    for (std::size_t t = 0; t < n; ++t) edges.thresholds.push_back((static_cast<double>(t) + 1) / 41);
    for (int i = 0; i <= 82; ++i) {
      const double p = i / 82.0;
      int below = 0;
      for (const double t : edges.thresholds) below += t <= p ? 1 : 0;
      EXPECT_EQ(edges.bin_of(p), below) << n << " thresholds, p = " << p;
    }
  }
}

TEST(Bin, GapIsSubtractedBeforeRounding) {
  Bin c;
  c.w.add(1.0);
  c.wp.add(1e30);
  c.wp.add(1.0);
  c.wy.add(1e30);
  EXPECT_EQ(c.gap(), 1.0);
}

TEST(ReliabilityTable, MergeRefusesOtherBins) {
  ReliabilityTable a(width(15));
  EXPECT_THROW(a.merge(ReliabilityTable(width(10))), std::invalid_argument);
  EXPECT_THROW(a.merge(ReliabilityTable(BinEdges{15, false, {0.5}})), std::invalid_argument);
}

TEST(ReliabilityTable, EmptyIsTheIdentityOfMerge) {
  const test::Column column = test::random_column(300, {}, 1);
  const ReliabilityTable t = reliability_table(column.view(), width(15), 1);
  ReliabilityTable left = t;
  left.merge(ReliabilityTable(width(15)));
  ReliabilityTable right(width(15));
  right.merge(t);
  EXPECT_EQ(left, t);
  EXPECT_EQ(right, t);
}

TEST(ReliabilityTable, TotalHoldsEverything) {
  const test::Column column = test::random_column(1000, {.trials = true}, 2);
  const Bin total = reliability_table(column.view(), width(15), 1).total();
  double votes = 0, hits = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    votes += column.trials[i];
    hits += column.hits[i];
  }
  EXPECT_EQ(total.w.value(), votes);
  EXPECT_EQ(static_cast<double>(total.votes), votes);
  EXPECT_EQ(total.wy.value(), hits);
}

TEST(ReliabilityTable, SameBitsForAnyNumberOfThreads) {
  for (const test::ColumnShape shape : {test::ColumnShape{}, test::ColumnShape{.trials = true, .times = true},
                                        test::ColumnShape{.weight = true}}) {
    const test::Column column = test::random_column(60000, shape, 3);
    const ReliabilityTable one = reliability_table(column.view(), width(15), 1);
    for (const int threads : {2, 3, 16}) EXPECT_EQ(reliability_table(column.view(), width(15), threads), one);
  }
}

/// Single labels for 3 classes, as files would hold them.
Items some_items(std::int64_t n, int classes, std::uint64_t seed) {
  const ItemBlock b = test::random_block(n, {.classes = classes}, seed);
  std::vector<std::int64_t> labels(b.votes.cls.begin(), b.votes.cls.end());
  Items items;
  const std::vector<std::int64_t> shape =
      classes == 2 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, classes};
  items.predictions = Predictions({Rows(array_of(b.z.z, shape, "probs"))}, Scale::probability);
  items.votes = Votes::from_labels(Rows(array_of(labels, {n}, "labels")), classes);
  return items;
}

TEST(ReliabilityTable, StreamingPassEqualsTheColumn) {
  for (const int classes : {2, 3}) {
    const Items items = some_items(30000, classes, 4);
    const Forecasts column = collect(items, Event::event, 1);
    const ReliabilityTable expected = reliability_table(column.view(), width(15), 1);
    for (const int threads : {1, 2, 16})
      EXPECT_EQ(reliability_table(items, Event::event, width(15), threads), expected)
          << classes << " classes";
  }
}

TEST(ReliabilityTable, ClasswisePassEqualsTheColumns) {
  for (const int classes : {2, 5}) {
    const Items items = some_items(20000, classes, 5);
    for (const int threads : {1, 2, 16}) {
      const std::vector<ReliabilityTable> tables = classwise_tables(items, width(15), threads);
      ASSERT_EQ(tables.size(), static_cast<std::size_t>(classes));
      for (int k = 0; k < classes; ++k) {
        const Forecasts column = collect_class(items, k, 1);
        EXPECT_EQ(tables[static_cast<std::size_t>(k)], reliability_table(column.view(), width(15), 1))
            << "class " << k << " of " << classes;
      }
    }
  }
}

}  // namespace
}  // namespace plumb
