// The words of the metrics: every key once, ranges and headlines that make sense.
#include "plumb/registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace plumb {
namespace {

TEST(Registry, KeysAreDistinctAndFound) {
  std::set<std::string_view> seen;
  for (const MetricRow& row : metrics()) {
    EXPECT_TRUE(seen.insert(row.key).second) << row.key;
    EXPECT_EQ(find_metric(row.key), &row);
    EXPECT_LT(row.low, row.high) << row.key;
    EXPECT_FALSE(row.line.empty()) << row.key;
  }
  for (const MetricRow& row : regression_metrics()) EXPECT_EQ(find_regression_metric(row.key), &row);
  EXPECT_EQ(find_metric("no_such_key"), nullptr);
}

TEST(Registry, AnAliasLeadsToItsKey) {
  for (const KeyAlias& a : kAliases) {
    EXPECT_EQ(canonical_key(a.alias), a.key);
    EXPECT_EQ(canonical_key(a.key), a.key);
    EXPECT_EQ(alias_of(a.key), a.alias);
    ASSERT_NE(find_metric(a.alias), nullptr) << a.alias;
    EXPECT_EQ(find_metric(a.alias), find_metric(a.key)) << a.alias;
    for (const MetricRow& row : metrics()) EXPECT_NE(row.key, a.alias);
  }
  EXPECT_EQ(alias_of("ece"), "");
}

TEST(Registry, AMetricWithoutAnIntervalSaysWhy) {
  for (const auto rows : {metrics(), regression_metrics()})
    for (const MetricRow& row : rows)
      EXPECT_EQ(why_no_interval(row).empty(), row.interval != Interval::none) << row.key;
}

TEST(Registry, WhatSlicesShowStandsInTheTableToo) {
  int slices = 0;
  for (const MetricRow& row : metrics()) {
    if (!row.headline.has(Place::slices)) continue;
    ++slices;
    EXPECT_TRUE(row.headline.has(Place::table)) << row.key;
  }
  EXPECT_EQ(slices, 7) << "a slice's row fits the width of a terminal";
}

}  // namespace
}  // namespace plumb
