// A metric is computed from the products that its row names; access to any other product is a programming
// error, never a value or a reason.
#include "evaluate/products.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "evaluate/runs.hpp"
#include "plumb/registry.hpp"

namespace plumb::test {
namespace {

using detail::ColumnProducts;
using detail::FinishOptions;
using detail::Product;
using detail::Products;
using detail::ProductSet;

bool streams(const MetricRow& row) { return row.room == Room::streaming; }

TEST(Products, WhatWasNotAskedForIsALogicError) {
  const StreamSums stream;
  const ColumnProducts columns;
  for (const bool binary : {true, false}) {
    FinishOptions options;
    options.binary = binary;
    options.has_truth = true;
    const Products no_sums(stream, ProductSet{}, options), no_columns(columns, ProductSet{}, options);
    for (const MetricRow& row : metrics()) {
      const detail::MetricRun& run = detail::run_of(row);
      EXPECT_THROW((void)run.finish(streams(row) ? no_sums : no_columns, row.key), std::logic_error)
          << row.key;
    }
  }
}

TEST(Products, AKeyThatNoPassGivesIsALogicError) {
  const StreamSums stream;
  const Products all(stream, detail::kStreamingProducts, {});
  EXPECT_THROW((void)all.proper_score("no_such_key"), std::logic_error);
  EXPECT_THROW((void)all.histogram("no_such_key"), std::logic_error);
  EXPECT_THROW((void)all.disagreement("no_such_key"), std::logic_error);
  EXPECT_THROW((void)all.agreement("no_such_key"), std::logic_error);
  EXPECT_THROW((void)all.log_part("no_such_key"), std::logic_error);
  EXPECT_THROW((void)all.proper_score("mse_p"), std::logic_error) << "without the true probabilities";
}

// Sums and columns are never in one place, so that a row is read off the one or the other; and a merged
// state, which has the sums, gives the rows that the registry calls streaming.
TEST(Products, ARowNeedsSumsOrColumnsAsItsRoomSays) {
  for (const MetricRow& row : metrics()) {
    for (const bool binary : {true, false}) {
      const ProductSet needs = detail::run_of(row).needs(binary);
      EXPECT_EQ(detail::kStreamingProducts.has(needs), streams(row)) << row.key;
      EXPECT_EQ(detail::kStreamingProducts.any(needs), streams(row)) << row.key;
    }
  }
}

}  // namespace
}  // namespace plumb::test
