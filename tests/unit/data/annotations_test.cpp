#include "plumb/data/annotations.hpp"

#include <gtest/gtest.h>

#include <map>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"
#include "unit/data/complaint.hpp"

namespace plumb {
namespace {

Rows text(std::vector<std::string> values, const std::string& name) {
  const std::int64_t n = std::ssize(values);
  return Rows(array_of(std::move(values), {n}, name));
}

Annotations annotations(std::vector<std::string> item, std::vector<std::string> rater,
                        std::vector<std::string> label) {
  Annotations a{
      Names(text(std::move(item), "votes.csv:item")), {}, text(std::move(label), "votes.csv:label")};
  if (!rater.empty()) a.rater = Names(text(std::move(rater), "votes.csv:rater"));
  return a;
}

Names ids(std::vector<std::string> names) { return Names(text(std::move(names), "preds.csv:id")); }

struct Judged {
  std::string item, rater;
  int cls;
};

/// Reference: for every prediction, by rater, the classes in the order of the file.
using ByRater = std::map<std::string, std::vector<int>>;
std::vector<ByRater> naive_join(const std::vector<Judged>& rows, const std::vector<std::string>& names,
                                bool last) {
  std::vector<ByRater> out(names.size());
  for (const Judged& j : rows)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == j.item) {
        auto& own = out[i][j.rater];
        if (last) own.clear();
        own.push_back(j.cls);
      }
  return out;
}

TEST(Annotations, JoinAgreesWithANaiveOne) {
  const std::vector<std::string> classes{"cat", "dog", "owl"};
  for (const Duplicates rule : {Duplicates::last, Duplicates::keep}) {
    RandomStream rng(11, Purpose::kDemo, 5);
    const auto pick = [&](int n) { return static_cast<int>(rng.uniform() * n); };
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) names.push_back("item" + std::to_string((i * 37) % 61));
    std::vector<Judged> rows;
    std::vector<std::string> item, rater, label;
    for (int k = 0; k < 500; ++k) {
      rows.push_back({"item" + std::to_string(pick(70)), "r" + std::to_string(pick(12)), pick(3)});
      item.push_back(rows.back().item);
      rater.push_back(rows.back().rater);
      label.push_back(classes[rows.back().cls]);
    }
    const auto expected = naive_join(rows, names, rule == Duplicates::last);
    for (const int threads : {1, 4}) {
      const JoinedVotes joined =
          join_annotations(annotations(item, rater, label), ids(names), 3, classes, rule, threads);
      Judgements all;
      joined.votes.read_judgements(0, joined.votes.items(), all);
      ASSERT_EQ(joined.votes.items(), std::ssize(names));
      std::int64_t used = 0;
      for (std::size_t i = 0; i < names.size(); ++i) {
        ByRater found;
        for (std::int64_t j = all.offset[i]; j < all.offset[i + 1]; ++j)
          found[joined.votes.rater_name(static_cast<int>(all.rater[j]))].push_back(
              static_cast<int>(all.cls[j]));
        EXPECT_EQ(found, expected[i]) << names[i];
        used += all.offset[i + 1] - all.offset[i];
      }
      EXPECT_EQ(joined.counts.used, used);
      EXPECT_EQ(joined.counts.judgements, 500);
      VoteBlock block;
      joined.votes.read(0, joined.votes.items(), block);
      for (std::size_t i = 0; i < names.size(); ++i)
        for (std::uint32_t k = 0; k < 3; ++k) {
          std::uint32_t n = 0;
          for (const auto& [who, said] : expected[i])
            n += std::count(said.begin(), said.end(), static_cast<int>(k));
          EXPECT_EQ(block.hits(static_cast<std::int64_t>(i), k), n);
        }
    }
  }
}

TEST(Annotations, AreTheRatingsOfTheSameVotes) {
  const JoinedVotes joined =
      join_annotations(annotations({"b", "a", "b", "c"}, {"y", "x", "x", "y"}, {"1", "0", "1", ""}),
                       ids({"a", "b", "c"}), 2, {"0", "1"});
  const Votes ratings = Votes::from_ratings(
      Rows(array_of(std::vector<std::int64_t>{0, -1, 1, 1, -1, -1}, {3, 2}, "ratings.npy")), 2);
  for (const Votes& v : {joined.votes, ratings}) {
    Judgements j;
    v.read_judgements(0, 3, j);
    EXPECT_EQ(j.offset, (std::vector<std::int64_t>{0, 1, 3, 3}));
    EXPECT_EQ(j.rater, (std::vector<std::uint32_t>{0, 0, 1}));
    EXPECT_EQ(j.cls, (std::vector<std::uint32_t>{0, 1, 1}));
    const std::vector<std::int64_t> back{1, 0};
    v.gather(back).read_judgements(0, 2, j);
    EXPECT_EQ(j.offset, (std::vector<std::int64_t>{0, 2, 3}));
    VoteBlock block;
    v.of_rater(1).read(0, 3, block);
    EXPECT_EQ(block.total, (std::vector<std::uint32_t>{0, 1, 0}));
    EXPECT_EQ(block.cls, (std::vector<std::uint32_t>{1}));
  }
  EXPECT_EQ(joined.counts.without_label, 1);
  EXPECT_EQ(joined.votes.rater_name(1), "y");
  EXPECT_EQ(ratings.rater_name(1), "1");
  EXPECT_FALSE(ratings.names_raters());
}

TEST(Annotations, ManyClassesAreCountedAsFew) {
  std::vector<std::string> item, rater, label, classes;
  for (int k = 0; k < 40; ++k) classes.push_back("c" + std::to_string(k));
  for (const int k : {39, 3, 39, 7}) {
    item.emplace_back("a");
    rater.push_back("r" + std::to_string(item.size()));
    label.push_back(classes[static_cast<std::size_t>(k)]);
  }
  const Votes votes = join_annotations(annotations(item, rater, label), ids({"a"}), 40, classes).votes;
  VoteBlock block;
  votes.read(0, 1, block);
  EXPECT_EQ(block.cls, (std::vector<std::uint32_t>{3, 7, 39}));
  EXPECT_EQ(block.count, (std::vector<std::uint32_t>{1, 1, 2}));
}

TEST(Annotations, CountsWhatDoesNotJoin) {
  const JoinCounts c =
      join_annotations(annotations({"a", "q", "r", "a"}, {"x", "x", "z", "x"}, {"0", "1", "1", "1"}),
                       ids({"a", "b"}), 2, {"0", "1"})
          .counts;
  EXPECT_EQ(c.items, 3);
  EXPECT_EQ(c.items_unpredicted, 2);
  EXPECT_EQ(c.first_unpredicted, "q");
  EXPECT_EQ(c.unannotated, 1);
  EXPECT_EQ(c.first_unannotated, "b");
  EXPECT_EQ(c.repeated, 1);
  EXPECT_EQ(c.used, 1);
  EXPECT_EQ(join_notes(c, Duplicates::last, "v", "p").size(), 3u);
  EXPECT_TRUE(join_notes({}, Duplicates::last, "v", "p").empty());
}

TEST(Annotations, RefusesWhatCannotBeJoined) {
  const Annotations one = annotations({"a", "a"}, {"x", "x"}, {"0", "1"});
  EXPECT_THROW((void)join_annotations(one, ids({"a", "a"}), 2, {"0", "1"}), InputError);
  EXPECT_THROW((void)join_annotations(one, ids({"b", "c"}), 2, {"0", "1"}), InputError);
  EXPECT_THROW((void)join_annotations(one, ids({"a"}), 2, {"0", "1"}, Duplicates::refuse), InputError);
  EXPECT_THROW((void)join_annotations(one, ids({"a"}), 2, {"yes", "no"}), InputError);
  EXPECT_NO_THROW((void)join_annotations(one, ids({"a"}), 2, {"0", "1"}));
}

}  // namespace
}  // namespace plumb
