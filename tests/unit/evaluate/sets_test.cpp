#include "plumb/evaluate/sets.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/resample/interval.hpp"
#include "support/make_items.hpp"

namespace plumb {
namespace {

using test::Simulated;
using test::VoteForm;

/// Sets of the classes above a fifth.
std::vector<double> simple_sets(const Simulated& s) {
  std::vector<double> out;
  for (const double z : s.z) out.push_back(z > 0.2 ? 1 : 0);
  return out;
}
Rows rows_of(const std::vector<double>& sets, int classes) {
  const auto n = static_cast<std::int64_t>(sets.size()) / classes;
  return Rows(array_of(sets, {n, classes}, "sets.npy"));
}

TEST(EvaluateSets, AgreesWithCounting) {
  const Simulated s =
      test::simulate({.n = 400, .classes = 4, .raters = 5, .vary = true, .groups = 30, .seed = 31});
  const std::vector<double> sets = simple_sets(s);
  const Items items = to_items(s, VoteForm::counts);
  const SetsResult r = evaluate_sets(rows_of(sets, 4), items.votes, {}, {}, {});
  double held = 0, size = 0, squares = 0, of_size_two = 0, two = 0, class_held = 0, class_votes = 0;
  std::vector<double> each;
  for (std::size_t i = 0; i < s.size(); ++i) {
    double own = 0, members = 0;
    for (int k = 0; k < 4; ++k) members += sets[i * 4 + k];
    for (const int v : s.votes[i]) {
      own += sets[i * 4 + v] / s.votes[i].size();
      if (v == 2) {
        class_held += sets[i * 4 + v] / s.votes[i].size();
        class_votes += 1.0 / s.votes[i].size();
      }
    }
    each.push_back(own);
    held += own;
    size += members;
    two += members == 2;
    of_size_two += members == 2 ? own : 0;
  }
  const double n = static_cast<double>(s.size()), p = held / n;
  for (const double own : each) squares += (own - p) * (own - p);
  ASSERT_EQ(r.coverage.front().against, "votes");
  EXPECT_NEAR(*r.coverage.front().value, p, 1e-12);
  const Bounds b = wilson_bounds(p, p * (1 - p) / (squares / n / (n - 1)), 0.95);
  EXPECT_NEAR(*r.coverage.front().low, b.low, 1e-9);
  EXPECT_NEAR(*r.coverage.front().high, b.high, 1e-9);
  EXPECT_NEAR(r.mean_size, size / n, 1e-12);
  for (const Coverage& c : r.by_size) {
    if (c.against != "2") continue;
    EXPECT_NEAR(*c.value, of_size_two / two, 1e-12);
  }
  EXPECT_NEAR(*r.by_class[2].value, class_held / class_votes, 1e-12);
  const SetsResult grouped = evaluate_sets(rows_of(sets, 4), items.votes, items.groups, {}, {});
  EXPECT_EQ(grouped.coverage.front().value, r.coverage.front().value);
  EXPECT_NE(grouped.coverage.front().low, r.coverage.front().low);
}

TEST(EvaluateSets, MajorityAndRaters) {
  const std::vector<double> sets{1, 0, 0, 1, 1, 1};
  const std::vector<double> ratings{0, 0, 1, 1, 0, 1, 0, 1, -1};
  const Votes votes = Votes::from_ratings(Rows(array_of(ratings, {3, 3}, "r.npy")), 2);
  const SetsResult r = evaluate_sets(rows_of(sets, 2), votes, {}, {}, {});
  // Item 0: {0}, votes 0 0 1; item 1: {1}, votes 1 0 1; item 2: everything, votes 0 1.
  EXPECT_NEAR(*r.coverage[0].value, (2.0 / 3 + 2.0 / 3 + 1) / 3, 1e-15);
  EXPECT_EQ(r.coverage[1].against, "majority");
  EXPECT_EQ(*r.coverage[1].value, 1);  // two votes have no majority
  EXPECT_EQ(r.coverage[1].items, 2);
  EXPECT_EQ(*r.coverage[2].value, 1);                 // rater 0
  EXPECT_NEAR(*r.coverage[3].value, 2.0 / 3, 1e-15);  // rater 1: in, out, in
  EXPECT_EQ(*r.coverage[4].value, 0.5);               // rater 2: out, in
  EXPECT_EQ(r.empty, 0);
}

TEST(EvaluateSets, Refusals) {
  const Votes votes = Votes::from_labels(Rows(array_of(std::vector<double>{0, 1}, {2}, "y.npy")), 2);
  EXPECT_THROW((void)evaluate_sets(rows_of({1, 0.5, 0, 1}, 2), votes, {}, {}, {}), InputError);
  EXPECT_THROW((void)evaluate_sets(rows_of({1, 1, 0, 1, 1, 1}, 3), votes, {}, {}, {}), InputError);
  EXPECT_THROW((void)evaluate_sets(rows_of({1, 1, 0, 1, 1, 1}, 2), votes, {}, {}, {}), InputError);
}

}  // namespace
}  // namespace plumb
