// The confusion matrix against a literal count, and its edges.
#include "evaluate/confusion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plumb/evaluate/evaluate.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using Matrix = std::map<std::pair<std::int64_t, std::int64_t>, double>;

constexpr double kSummed = 1e-12;  // doubles in the naive sum, integers in ours

Matrix matrix_of(const Table& t, std::size_t column = 2) {
  Matrix out;
  for (const auto& row : t.rows)
    if (const double* x = std::get_if<double>(&row[column]))
      out[{std::get<std::int64_t>(row[0]), std::get<std::int64_t>(row[1])}] = *x;
  return out;
}

Matrix naive(const test::Simulated& s) {
  Matrix out;
  const auto k = static_cast<std::size_t>(s.classes), width = s.classes == 2 ? 1 : k;
  for (std::size_t i = 0; i < s.size(); ++i) {
    std::int64_t top = 0;
    if (s.classes == 2) {
      top = s.z[i] > 0.5 ? 1 : 0;
    } else {
      const auto first = s.z.begin() + static_cast<std::ptrdiff_t>(i * width);
      top = std::max_element(first, first + static_cast<std::ptrdiff_t>(k)) - first;
    }
    const double w = s.weight.empty() ? 1 : s.weight[i];
    for (const int vote : s.votes[i]) out[{top, vote}] += w / static_cast<double>(s.votes[i].size());
  }
  return out;
}

TEST(Confusion, IsTheLiteralCount) {
  for (const int classes : {2, 3, 8, 20})
    for (const bool votes : {false, true})
      for (const bool weights : {false, true}) {
        test::Simulated s =
            test::simulate({.n = 700, .classes = classes, .raters = votes ? 5 : 1, .vary = votes, .seed = 3});
        if (weights)
          for (std::size_t i = 0; i < s.size(); ++i) s.weight.push_back(static_cast<double>(i % 5));
        const Items items = test::to_items(s, votes ? test::VoteForm::counts : test::VoteForm::labels);
        const Matrix got = matrix_of(detail::confusion_rows(items, 2));
        ASSERT_EQ(std::ssize(got), classes * classes);
        Matrix expected = naive(s);
        double all = 0;
        for (const auto& [cell, x] : got) {
          EXPECT_NEAR(x, expected[cell], kSummed * 1000)
              << classes << " classes, " << cell.first << cell.second;
          all += x;
        }
        double weight = 0;
        for (std::size_t i = 0; i < s.size(); ++i) weight += s.weight.empty() ? 1 : s.weight[i];
        EXPECT_NEAR(all, weight, 1e-9);
      }
}

TEST(Confusion, SharesOfAnObservedClassAddUpToOne) {
  const Items items =
      test::to_items(test::simulate({.n = 300, .classes = 4, .seed = 4}), test::VoteForm::labels);
  std::map<std::int64_t, double> sum;
  for (const auto& [cell, share] : matrix_of(detail::confusion_rows(items, 1), 3)) sum[cell.second] += share;
  ASSERT_EQ(sum.size(), 4u);
  for (const auto& [cls, total] : sum) EXPECT_NEAR(total, 1, kSummed);
}

TEST(Confusion, ManyClassesTellTheLargestConfusionsAlone) {
  const test::Simulated s = test::simulate({.n = 3000, .classes = 30, .raters = 2, .seed = 6});
  const Table t = detail::confusion_rows(test::to_items(s, test::VoteForm::counts), 2);
  ASSERT_EQ(t.rows.size(), detail::kConfusions);
  Matrix expected = naive(s);
  std::vector<double> off;
  for (const auto& [cell, x] : expected)
    if (cell.first != cell.second) off.push_back(x);
  std::sort(off.rbegin(), off.rend());
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    EXPECT_NE(std::get<std::int64_t>(t.rows[i][0]), std::get<std::int64_t>(t.rows[i][1]));
    EXPECT_NEAR(std::get<double>(t.rows[i][2]), off[i], 1e-9);
  }
}

TEST(Confusion, ThreadsAndRowOrderGiveTheSameBits) {
  test::Simulated s = test::simulate({.n = 5000, .classes = 25, .raters = 3, .vary = true, .seed = 9});
  for (std::size_t i = 0; i < s.size(); ++i) s.weight.push_back(0.1 + 0.01 * static_cast<double>(i % 37));
  const Items items = test::to_items(s, test::VoteForm::counts);
  std::vector<std::int64_t> backward(items.size());
  for (std::int64_t i = 0; i < items.size(); ++i) backward[i] = items.size() - 1 - i;
  const auto one = detail::confusion_rows(items, 1).rows;
  EXPECT_EQ(one, detail::confusion_rows(items, 4).rows);
  EXPECT_EQ(one, detail::confusion_rows(items.gather(backward), 3).rows);
}

TEST(Confusion, ItemsWithoutVotesCountNothingAndAnUnseenClassHasNoShare) {
  test::Simulated s;
  s.classes = 3;
  s.z = {0.8, 0.1, 0.1, 0.2, 0.7, 0.1};
  s.votes = {{0, 0}, {}};
  const Table t = detail::confusion_rows(test::to_items(s, test::VoteForm::counts), 1);
  EXPECT_EQ((matrix_of(t)[{0, 0}]), 1);
  EXPECT_EQ((matrix_of(t)[{1, 1}]), 0);
  EXPECT_EQ((matrix_of(t, 3).count({1, 1})), 0u);
}

TEST(Confusion, IsATableOfTheResult) {
  const Items items = test::to_items(test::simulate({.n = 50, .classes = 3}), test::VoteForm::labels);
  const auto has = [](const Result& r) {
    return std::any_of(r.tables.begin(), r.tables.end(),
                       [](const auto& t) { return t.first == "confusion"; });
  };
  EXPECT_TRUE(has(evaluate(items, {})));
  EXPECT_FALSE(has(evaluate(items, {.metrics = {"ece"}})));
}

}  // namespace
}  // namespace plumb
