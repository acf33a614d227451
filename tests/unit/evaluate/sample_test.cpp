#include "evaluate/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/make_items.hpp"

namespace plumb {
using detail::sample_rows;

namespace {

constexpr double kTolerance = 1e-12;  // a dozen logarithms and sums of numbers near 1

std::vector<std::int64_t> rows_of(const Table& t) {
  std::vector<std::int64_t> out;
  for (const auto& row : t.rows) out.push_back(std::get<std::int64_t>(row[0]));
  return out;
}

TEST(Sample, SmallDataAreTakenWhole) {
  const auto s = test::simulate({.n = 50, .classes = 3, .raters = 4, .vary = true});
  const Table t = sample_rows(test::to_items(s, test::VoteForm::counts), {.sample_items = 2000});
  ASSERT_EQ(t.rows.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(std::get<std::int64_t>(t.rows[i][0]), static_cast<std::int64_t>(i));
}

TEST(Sample, RowsByHand) {
  const auto s = test::simulate({.n = 200, .classes = 3, .raters = 5, .vary = true});
  const Table t = sample_rows(test::to_items(s, test::VoteForm::counts), {.seed = 3, .sample_items = 40});
  ASSERT_EQ(t.rows.size(), 40u);
  for (const auto& row : t.rows) {
    const auto i = static_cast<std::size_t>(std::get<std::int64_t>(row[0]));
    const double* z = &s.z[3 * i];
    const auto top = static_cast<std::size_t>(std::max_element(z, z + 3) - z);
    double loss = 0, entropy = 0, hits = 0;
    for (const int v : s.votes[i]) {
      loss -= std::log(z[v]) / static_cast<double>(s.votes[i].size());
      hits += static_cast<std::size_t>(v) == top ? 1 : 0;
    }
    for (std::size_t k = 0; k < 3; ++k) entropy -= z[k] * std::log(z[k]);
    EXPECT_EQ(std::get<double>(row[1]), z[top]);
    EXPECT_EQ(std::get<std::int64_t>(row[2]), static_cast<std::int64_t>(top));
    EXPECT_EQ(std::get<std::int64_t>(row[4]), static_cast<std::int64_t>(hits));
    EXPECT_EQ(std::get<std::int64_t>(row[5]), static_cast<std::int64_t>(s.votes[i].size()));
    EXPECT_NEAR(std::get<double>(row[6]), loss, kTolerance);
    EXPECT_NEAR(std::get<double>(row[7]), entropy, kTolerance);
  }
}

TEST(Sample, BinaryTakesClassOne) {
  const auto s = test::simulate({.n = 30, .classes = 2});
  const Table t = sample_rows(test::to_items(s, test::VoteForm::counts), {.sample_items = 30});
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(std::get<double>(t.rows[i][1]), s.z[i]);
    const double given = s.votes[i][0] == 1 ? s.z[i] : 1 - s.z[i];
    EXPECT_NEAR(std::get<double>(t.rows[i][6]), -std::log(given), kTolerance);
  }
}

TEST(Sample, TheSeedChooses) {
  const Items items = test::to_items(test::simulate({.n = 20000, .classes = 2}), test::VoteForm::counts);
  const auto a = rows_of(sample_rows(items, {.seed = 1, .sample_items = 100}));
  EXPECT_EQ(a, rows_of(sample_rows(items, {.seed = 1, .threads = 3, .sample_items = 100})));
  EXPECT_NE(a, rows_of(sample_rows(items, {.seed = 2, .sample_items = 100})));
  EXPECT_TRUE(std::is_sorted(a.begin(), a.end()));
  EXPECT_EQ(std::set<std::int64_t>(a.begin(), a.end()).size(), 100u);
  const auto late = std::count_if(a.begin(), a.end(), [](std::int64_t row) { return row >= 10000; });
  EXPECT_NEAR(static_cast<double>(late), 50, 25) << "five standard deviations";
}

TEST(Sample, OnlyWhenAskedFor) {
  const Items items = test::to_items(test::simulate({.n = 60, .classes = 2}), test::VoteForm::counts);
  const auto has = [](const Result& r) {
    return std::any_of(r.tables.begin(), r.tables.end(), [](const auto& t) { return t.first == "sample"; });
  };
  EXPECT_FALSE(has(evaluate(items, {.metrics = {"ece"}})));
  EXPECT_TRUE(has(evaluate(items, {.metrics = {"ece"}, .sample_items = 10})));
}

}  // namespace
}  // namespace plumb
