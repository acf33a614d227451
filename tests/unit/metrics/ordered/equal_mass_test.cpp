#include "plumb/metrics/ordered/equal_mass.hpp"

#include <gtest/gtest.h>

#include <map>

#include "plumb/data/check.hpp"
#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// Reference: bin min(B-1, floor(B * share below)) of each distinct p, mass below recounted; weights are
// multiples of 1/4 here, so that doubles count exactly and long double divides exactly enough.
std::map<double, int> naive_bins(const Column& c, int bins) {
  long double total = 0;
  for (std::size_t i = 0; i < c.size(); ++i) total += c.mass(i);
  std::map<double, int> bin;
  for (const double p : distinct_p(c)) {
    long double below = 0;
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c.p[i] < p) below += c.mass(i);
    bin[p] = std::min(bins - 1, static_cast<int>(bins * below / total));
  }
  return bin;
}

Column quartered(Column c) {
  for (double& w : c.weight) w = std::round(4 * w) / 4;
  return c;
}

TEST(EqualMass, BinsAreTheDefinition) {
  for (const ColumnOptions& o : kinds()) {
    const Column c = quartered(random_column(o));
    for (const int bins : {1, 2, 3, 7, 15, 100, 500}) {
      const std::map<double, int> naive = naive_bins(c, bins);
      const BinEdges edges = equal_mass_edges(c.view(), bins);
      EXPECT_FALSE(edges.equal_width);
      EXPECT_EQ(edges.bins, bins);
      // The bins in use, renumbered: two p share a bin there when they share one here.
      std::vector<double> thresholds;
      int last = 0;
      for (const auto& [p, bin] : naive) {
        if (bin != last) thresholds.push_back(p);
        last = bin;
      }
      EXPECT_EQ(edges.thresholds, thresholds) << "seed " << o.seed << ", bins " << bins;
    }
  }
}

TEST(EqualMass, TableIsTheTableOfItsBins) {
  for (const ColumnOptions& o : kinds()) {
    for (const bool whole_counts : {true, false}) {
      Column c = random_column(o);
      c.whole_counts = whole_counts;
      for (const int bins : {1, 4, 15}) {
        const ReliabilityTable table = equal_mass_table(c.view(), bins);
        TableBuilder builder(equal_mass_edges(c.view(), bins));
        builder.update(c.view());
        EXPECT_EQ(table, builder.finish()) << "seed " << o.seed << ", bins " << bins;
      }
    }
  }
}

TEST(EqualMass, DistinctItemsSpreadEvenly) {
  const Column c = random_column({.n = 1000, .seed = 41});
  const ReliabilityTable t = equal_mass_table(c.view(), 15);
  ASSERT_EQ(t.bins.size(), 15u);
  for (const Bin& bin : t.bins) {
    EXPECT_GE(bin.items, 66u);
    EXPECT_LE(bin.items, 67u);
  }
}

TEST(EqualMass, TiesStayTogetherAndEmptyBinsVanish) {
  // Nine of ten at one value: bins 0 and 9 of 10 are in use.
  const Column c{.p = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.6},
                 .hits = {1, 0, 0, 0, 0, 0, 0, 0, 0, 1},
                 .trials = {},
                 .weight = {},
                 .times = {}};
  const ReliabilityTable t = equal_mass_table(c.view(), 10);
  ASSERT_EQ(t.bins.size(), 2u);
  EXPECT_EQ(t.edges.thresholds, std::vector<double>{0.6});
  EXPECT_EQ(t.bins[0].items, 9u);
  EXPECT_EQ(t.bins[1].items, 1u);
}

TEST(EqualMass, FewerItemsThanBins) {
  const Column c{.p = {0.1, 0.4, 0.9}, .hits = {0, 1, 1}, .trials = {}, .weight = {}, .times = {}};
  EXPECT_EQ(equal_mass_table(c.view(), 15).bins.size(), 3u);
}

// Two thirds of 3 votes in three bins: 3 * (2/3) must be 2 and not just below.
TEST(EqualMass, SharesAreExact) {
  for (const std::size_t n : {3, 7, 49, 93, 1000}) {
    Column c;
    for (std::size_t i = 0; i < n; ++i) {
      c.p.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(n));
      c.hits.push_back(0);
    }
    const int bins = static_cast<int>(n);
    EXPECT_EQ(equal_mass_edges(c.view(), bins).count(), bins);
    c.weight.assign(n, 3.0);
    EXPECT_EQ(equal_mass_edges(c.view(), bins).count(), bins);
  }
}

TEST(EqualMass, NothingIsOneEmptyBin) {
  const Column empty;
  EXPECT_EQ(equal_mass_edges(empty.view(), 15).count(), 1);
  const ReliabilityTable t = equal_mass_table(empty.view(), 15);
  ASSERT_EQ(t.bins.size(), 1u);
  EXPECT_EQ(t.bins[0].items, 0u);
}

TEST(EqualMass, RefusesNoBins) {
  EXPECT_THROW((void)equal_mass_edges(random_column({}).view(), 0), InputError);
}

}  // namespace
}  // namespace plumb::test
