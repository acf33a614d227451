#include "plumb/metrics/raters/rater_table.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

/// Ratings with gaps anywhere, not only at the end.
struct Ratings {
  Items items;
  std::vector<std::vector<int>> by_item;
};

Ratings simulate_ratings(std::size_t n, int classes, int raters, bool weighted) {
  test::Simulated s =
      test::simulate({.n = static_cast<std::int64_t>(n), .classes = classes, .raters = raters, .seed = 25});
  if (weighted) test::add_weights(s, 26);
  RandomStream rng(4, Purpose::demo, 94);
  for (auto& v : s.votes)
    for (int& c : v)
      if (rng.uniform() < 0.3) c = -1;
  std::vector<std::int64_t> flat;
  for (const auto& v : s.votes) flat.insert(flat.end(), v.begin(), v.end());
  Ratings out;
  out.by_item = s.votes;
  test::Simulated plain = s;
  for (auto& v : plain.votes) v = {0};
  out.items = to_items(plain, test::VoteForm::labels);
  out.items.votes = Votes::from_ratings(
      Rows(array_of(flat, {static_cast<std::int64_t>(n), raters}, "ratings.npy")), classes);
  return out;
}

TEST(RaterTable, AgreesWithEnumeration) {
  for (const int classes : {2, 4})
    for (const bool weighted : {false, true}) {
      const int raters = 5;
      const Ratings r = simulate_ratings(400, classes, raters, weighted);
      const auto rows = rater_rows(rater_table(r.items, 1));
      ASSERT_EQ(rows.size(), static_cast<std::size_t>(raters));
      ItemBlock block;
      read_items(r.items, 0, r.items.size(), block);
      for (int me = 0; me < raters; ++me) {
        test::Real items = 0, pairs = 0, agree = 0, shared = 0, most = 0, model = 0;
        std::uint64_t rated = 0, count_pairs = 0;
        for (std::size_t i = 0; i < r.by_item.size(); ++i) {
          const auto& v = r.by_item[i];
          const int mine = v[static_cast<std::size_t>(me)];
          const test::Real w = weighted ? test::Real(block.weight[i]) : 1;
          if (mine < 0 || !(w > 0)) continue;
          ++rated;
          items += w;
          std::vector<int> others(static_cast<std::size_t>(classes));
          for (int you = 0; you < raters; ++you) {
            const int theirs = v[static_cast<std::size_t>(you)];
            if (you == me || theirs < 0) continue;
            ++others[static_cast<std::size_t>(theirs)];
            ++count_pairs;
            pairs += w;
            agree += w * (theirs == mine);
          }
          const auto top = std::max_element(others.begin(), others.end());
          if (*top > 0) {
            shared += w;
            most += w * (top - others.begin() == mine);
          }
          int said = block.z.z[i] > 0.5 ? 1 : 0;
          if (classes > 2)
            said = argmax(std::span<const double>(block.z.z).subspan(i * static_cast<std::size_t>(classes),
                                                                     static_cast<std::size_t>(classes)));
          model += w * (said == mine);
        }
        const RaterRow& row = rows[static_cast<std::size_t>(me)];
        EXPECT_EQ(row.rater, me);
        EXPECT_EQ(row.items, rated);
        EXPECT_EQ(row.pairs, count_pairs);
        EXPECT_NEAR(*row.others, static_cast<double>(agree / pairs), test::kSums);
        EXPECT_NEAR(*row.majority, static_cast<double>(most / shared), test::kSums);
        EXPECT_NEAR(*row.model, static_cast<double>(model / items), test::kSums);
      }
    }
}

TEST(RaterTable, SameForAnyThreads) {
  const Ratings r = simulate_ratings(9000, 3, 4, true);
  EXPECT_EQ(rater_table(r.items, 1), rater_table(r.items, 5));
}

TEST(RaterTable, ARaterAloneHasNoOthers) {
  test::Simulated s;
  s.classes = 3;
  s.z = {.2, .3, .5, .6, .2, .2};
  s.votes = {{2}, {1}};
  const auto rows = rater_rows(rater_table(to_items(s, test::VoteForm::ratings), 1));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].items, 2u);
  EXPECT_EQ(rows[0].shared, 0u);
  EXPECT_FALSE(rows[0].others);
  EXPECT_FALSE(rows[0].majority);
  EXPECT_EQ(rows[0].model, 0.5);
}

TEST(RaterTable, ARaterWhoRatedNothingHasNoShares) {
  test::Simulated s;
  s.classes = 3;
  s.z = {.2, .3, .5, .6, .2, .2};
  s.votes = {{2, -1}, {1, -1}};
  const auto rows = rater_rows(rater_table(to_items(s, test::VoteForm::ratings), 1));
  EXPECT_EQ(rows[1].items, 0u);
  EXPECT_FALSE(rows[1].model);
}

TEST(RaterTable, NeedsRatings) {
  const test::Simulated s = test::simulate({.n = 4, .classes = 3, .raters = 2});
  EXPECT_THROW((void)rater_table(to_items(s, test::VoteForm::counts), 1), InputError);
}

}  // namespace
}  // namespace plumb
