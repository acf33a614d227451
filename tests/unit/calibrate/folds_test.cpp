#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plumb/calibrate/fit.hpp"
#include "plumb/data/check.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::simulate;
using test::to_items;
using test::VoteForm;

TEST(Folds, DealsItemsEvenlyAndByTheSeed) {
  const Items items = to_items(simulate({.n = 103}), VoteForm::labels);
  const auto fold = split_folds(items, 5, 1);
  for (int f = 0; f < 5; ++f) {
    const auto n = std::count(fold.begin(), fold.end(), f);
    EXPECT_TRUE(n == 20 || n == 21) << "fold " << f << " has " << n;
  }
  EXPECT_EQ(fold, split_folds(items, 5, 1));
  EXPECT_NE(fold, split_folds(items, 5, 2));
}

TEST(Folds, GroupsStayTogetherWhereverTheyStand) {
  const auto s = simulate({.n = 200, .groups = 17});
  const auto fold = split_folds(to_items(s, VoteForm::labels), 4, 3);
  std::vector<std::set<int>> of_group(17), groups_of(4);
  for (std::size_t i = 0; i < s.size(); ++i) {
    of_group[static_cast<std::size_t>(s.group[i])].insert(fold[i]);
    groups_of[static_cast<std::size_t>(fold[i])].insert(static_cast<int>(s.group[i]));
  }
  for (const auto& f : of_group) EXPECT_EQ(f.size(), 1u);
  for (const auto& g : groups_of) EXPECT_TRUE(g.size() == 4 || g.size() == 5);
  const auto rows = test::shuffled(s.size(), 9);
  const auto moved = split_folds(to_items(take(s, rows), VoteForm::labels), 4, 3);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(moved[i], fold[rows[i]]);
}

TEST(Folds, RefusesFewerUnitsThanFolds) {
  EXPECT_THROW((void)split_folds(to_items(simulate({.n = 4}), VoteForm::labels), 5, 0), InputError);
  EXPECT_THROW((void)split_folds(to_items(simulate({.n = 20, .groups = 3}), VoteForm::labels), 5, 0),
               InputError);
  EXPECT_THROW((void)split_folds(to_items(simulate({.n = 20}), VoteForm::labels), 1, 0), InputError);
}

}  // namespace
}  // namespace plumb
