#include <gtest/gtest.h>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "unit/metrics/streaming/simulate.hpp"

namespace plumb {
namespace {

using test::BlockShape;

std::vector<BinEdges> same(int classes, int bins) {
  return std::vector<BinEdges>(static_cast<std::size_t>(classes), BinEdges{bins, true, {}});
}

std::vector<BinEdges> by_thresholds(int classes) {
  std::vector<BinEdges> all;
  for (int k = 0; k < classes; ++k) {
    BinEdges c{15, false, {}};
    for (int t = 0; t < k % 5; ++t) c.thresholds.push_back((t + 1.0) * (t + 1.0) / (30.0 + k));
    all.push_back(c);
  }
  return all;
}

/// One column a class through TableBuilder, which has tests of its own.
std::vector<ReliabilityTable> reference(const ItemBlock& b, const std::vector<BinEdges>& edges,
                                        const std::vector<std::uint32_t>& times) {
  std::vector<ReliabilityTable> tables;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    test::Column column;
    for (std::size_t i = 0; i < static_cast<std::size_t>(b.size); ++i) {
      const auto width = static_cast<std::size_t>(b.z.width);
      column.p.push_back(width == 1 ? (k == 1 ? b.z.z[i] : 1.0 - b.z.z[i]) : b.z.z[i * width + k]);
      double hits = 0;
      for (std::uint32_t v = b.votes.offset[i]; v < b.votes.offset[i + 1]; ++v) {
        if (b.votes.cls[v] == k) hits = b.votes.count[v];
      }
      column.hits.push_back(hits);
      column.trials.push_back(b.votes.total[i]);
    }
    column.weight = b.weight;
    column.times = times;
    TableBuilder builder(edges[k]);
    builder.update(column.view());
    tables.push_back(builder.finish());
  }
  return tables;
}

std::vector<ReliabilityTable> build(const ItemBlock& b, const std::vector<BinEdges>& edges,
                                    const std::vector<std::uint32_t>& times = {}) {
  ClasswiseBuilder builder(edges);
  builder.update(b, times);
  return builder.finish();
}

std::vector<std::uint32_t> some_times(std::int64_t n) {
  RandomStream r(3, Purpose::demo);
  std::vector<std::uint32_t> times;
  for (std::int64_t i = 0; i < n; ++i) times.push_back(static_cast<std::uint32_t>(r.below(4)));
  return times;
}

TEST(ClasswiseBuilder, EqualsOneColumnAClass) {
  for (const int classes : {2, 3, 4, 7, 10, 63, 64, 65, 130}) {
    for (const int votes : {1, 4}) {
      for (const bool weight : {false, true}) {
        for (const std::int64_t n : {0, 1, 5, 8, 61, 300}) {
          const ItemBlock b =
              test::random_block(n, {.classes = classes, .most_votes = votes, .weight = weight}, 1);
          for (const auto& edges :
               {same(classes, 1), same(classes, 2), same(classes, 15), by_thresholds(classes)}) {
            const auto what = ::testing::Message()
                              << classes << " classes, " << votes << " votes, weight " << weight << ", " << n
                              << " items, " << edges[0].count() << " bins";
            EXPECT_EQ(build(b, edges), reference(b, edges, {})) << what;
            EXPECT_EQ(build(b, edges, some_times(n)), reference(b, edges, some_times(n)))
                << what << ", times";
          }
        }
      }
    }
  }
}

TEST(ClasswiseBuilder, SameBitsForAnyOrderSplitAndSimdTarget) {
  for (const BlockShape shape : {BlockShape{.classes = 2}, BlockShape{.classes = 10},
                                 BlockShape{.classes = 70}, BlockShape{.classes = 10, .most_votes = 5},
                                 BlockShape{.classes = 6, .most_votes = 5, .weight = true}}) {
    constexpr std::size_t kItems = 700;
    const ItemBlock b = test::random_block(kItems, shape, 2);
    const auto edges = same(shape.classes, 15);
    const auto expected = build(b, edges);
    test::on_every_simd_target(
        [&](const std::string& target) { EXPECT_EQ(build(b, edges), expected) << target; });
    const auto order = test::random_order(kItems, 3);
    EXPECT_EQ(build(test::pick(b, order), edges), expected);
    ClasswiseBuilder pieces(edges);
    for (std::size_t begin = 0, step = 1; begin < kItems; begin += step, step = 1 + (7 * step) % 64) {
      const std::vector<std::size_t> rows(
          order.begin() + static_cast<std::ptrdiff_t>(begin),
          order.begin() + static_cast<std::ptrdiff_t>(std::min(begin + step, kItems)));
      pieces.update(test::pick(b, rows));
    }
    EXPECT_EQ(pieces.finish(), expected);
  }
}

TEST(ClasswiseBuilder, EdgesOfTheLowestBin) {
  // z at and around 1/B: dense sums and bins must agree on which side it lies, on every target.
  for (const int bins : {2, 3, 10, 15, 49, 98, 1000}) {
    ItemBlock b;
    b.classes = b.z.width = 4;
    b.votes.single = true;
    b.votes.offset.push_back(0);
    const double edge = 1.0 / bins;
    for (const double z : {0.0, std::nextafter(edge, 0.0), edge, std::nextafter(edge, 1.0), 1.0}) {
      for (const double rest : {z, 0.5, 0.0, 1.0}) b.z.z.push_back(rest);
      b.votes.cls.push_back(static_cast<std::uint32_t>(b.size % 4));
      b.votes.count.push_back(1);
      b.votes.total.push_back(1);
      b.votes.offset.push_back(static_cast<std::uint32_t>(++b.size));
    }
    test::on_every_simd_target([&](const std::string& target) {
      EXPECT_EQ(build(b, same(4, bins)), reference(b, same(4, bins), {}))
          << target << ", " << bins << " bins";
    });
  }
}

TEST(ClasswiseBuilder, ManyRowsInOneBin) {
  // More rows than a pair holds, all probabilities 1 or 0: the dense sums of class 0 run as high as they can.
  constexpr std::int64_t kRows = 40000;
  ItemBlock b;
  b.size = kRows;
  b.classes = b.z.width = 3;
  b.votes.single = true;
  for (std::int64_t i = 0; i < kRows; ++i) {
    b.z.z.insert(b.z.z.end(), {1.0, 0.0, 0.0});
    b.votes.cls.push_back(0);
  }
  for (const int bins : {1, 15}) {
    const auto tables = build(b, same(3, bins));
    const Bin sure = tables[0].total();
    EXPECT_EQ(sure.wp.value(), static_cast<double>(kRows));
    EXPECT_EQ(sure.wy.value(), static_cast<double>(kRows));
    EXPECT_EQ(tables[0].bins.back().items, static_cast<std::uint64_t>(kRows));
    EXPECT_EQ(tables[1].bins.front().items, static_cast<std::uint64_t>(kRows));
    EXPECT_TRUE(tables[1].total().wp.is_zero());
  }
}

TEST(ClasswiseBuilder, VotesBeyondTheIntegerBins) {
  ItemBlock b = test::random_block(6, {.classes = 3, .most_votes = 3}, 4);
  for (std::size_t i = 0; i < 6; ++i) {
    b.votes.total[i] = 0;
    for (std::uint32_t v = b.votes.offset[i]; v < b.votes.offset[i + 1]; ++v)
      b.votes.total[i] += b.votes.count[v] = 1u << 30;
  }
  const std::vector<std::uint32_t> times{1, 3, 4294967295u, 2, 1, 1};
  EXPECT_EQ(build(b, same(3, 15), times), reference(b, same(3, 15), times));
  EXPECT_EQ(build(b, same(3, 15)), reference(b, same(3, 15), {}));
}

TEST(ClasswiseBuilder, FinishLeavesItEmpty) {
  const ItemBlock b = test::random_block(50, {.classes = 3}, 6);
  ClasswiseBuilder builder(3, BinEdges{15, true, {}});
  const std::vector<ReliabilityTable> nothing = builder.finish();
  ASSERT_EQ(nothing.size(), 3u);
  for (const ReliabilityTable& t : nothing) EXPECT_EQ(t, ReliabilityTable(BinEdges{15, true, {}}));
  builder.update(b);
  const auto first = builder.finish();
  EXPECT_EQ(builder.finish(), nothing);
  builder.update(b);
  EXPECT_EQ(builder.finish(), first);
}

}  // namespace
}  // namespace plumb
