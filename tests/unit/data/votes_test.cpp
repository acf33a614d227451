#include "plumb/data/votes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "unit/data/complaint.hpp"

namespace plumb {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Words = std::vector<std::string>;
using Numbers = std::vector<std::uint32_t>;

Rows column(std::vector<double> values, const std::string& name = "labels.npy") {
  const auto n = static_cast<std::int64_t>(values.size());
  return Rows(array_of(std::move(values), {n}, name));
}
Rows matrix(std::vector<double> values, std::int64_t width, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size()) / width;
  return Rows(array_of(std::move(values), {n, width}, name));
}
Rows words(Words values, std::int64_t width, const std::string& name) {
  const auto n = static_cast<std::int64_t>(values.size()) / width;
  return width == 1 ? Rows(array_of(std::move(values), {n}, name))
                    : Rows(array_of(std::move(values), {n, width}, name));
}

VoteBlock read_all(const Votes& v) {
  VoteBlock block;
  v.read(0, v.items(), block);
  EXPECT_EQ(block.size, v.items());
  return block;
}
std::string refusal(const Votes& v) {
  return complaint([&] { (void)read_all(v); });
}

void expect_same(const VoteBlock& a, const VoteBlock& b) {
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.single, b.single);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.cls, b.cls);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.total, b.total);
}

TEST(Votes, LabelsAreSingleVotes) {
  for (const Rows& rows : {column({2, 0, 1}), Rows(array_of(std::vector<std::uint8_t>{2, 0, 1}, {3}, "u8")),
                           Rows(array_of(std::vector<std::int64_t>{2, 0, 1}, {3}, "i64")),
                           Rows(array_of(std::vector<float>{2, 0, 1}, {3}, "f32")),
                           Rows({array_of(std::vector<std::uint8_t>{2}, {1}, "a"),
                                 array_of(std::vector<std::int64_t>{0, 1}, {2}, "b")}),
                           words({"c", "a", "b"}, 1, "t")}) {
    const VoteBlock block = read_all(Votes::from_labels(rows, 3, {"a", "b", "c"}));
    EXPECT_TRUE(block.single);
    EXPECT_EQ(block.cls, (Numbers{2, 0, 1}));
    EXPECT_TRUE(block.offset.empty() && block.count.empty() && block.total.empty());
    EXPECT_EQ(block.votes(0), 1u);
    EXPECT_EQ(block.hits(0, 2), 1u);
    EXPECT_EQ(block.hits(0, 1), 0u);
    EXPECT_EQ(block.majority(2), 1);
  }
}

TEST(Votes, CountsBecomeSparse) {
  const Votes v = Votes::from_counts(matrix({0, 3, 3, 0, 0, 0, 7, 0, 1}, 3, "counts.npy"), 3);
  const VoteBlock block = read_all(v);
  EXPECT_FALSE(block.single);
  EXPECT_EQ(block.offset, (Numbers{0, 2, 2, 4}));
  EXPECT_EQ(block.cls, (Numbers{1, 2, 0, 2}));
  EXPECT_EQ(block.count, (Numbers{3, 3, 7, 1}));
  EXPECT_EQ(block.total, (Numbers{6, 0, 8}));
  EXPECT_EQ(block.hits(0, 2), 3u);
  EXPECT_EQ(block.hits(0, 0), 0u);
  EXPECT_EQ(block.hits(1, 0), 0u);
  EXPECT_EQ(block.majority(0), 1);  // ties: the lowest class
  EXPECT_EQ(block.majority(1), -1);
  EXPECT_EQ(block.majority(2), 0);
}

TEST(Votes, RatingsAreSortedAndMerged) {
  const std::vector<double> given = {2, 0, 2, -1, kNaN, 1, -3, -1, -1, kNaN, 1, 1, 1, 1, 1};
  const Votes v = Votes::from_ratings(matrix(given, 5, "r.npy"), 3);
  EXPECT_EQ(v.raters(), 5);
  const VoteBlock block = read_all(v);
  EXPECT_EQ(block.offset, (Numbers{0, 2, 3, 4}));
  EXPECT_EQ(block.cls, (Numbers{0, 2, 1, 1}));
  EXPECT_EQ(block.count, (Numbers{1, 2, 1, 5}));
  EXPECT_EQ(block.total, (Numbers{3, 1, 5}));
  std::vector<std::int32_t> by_rater;
  v.read_ratings(0, 2, by_rater);
  EXPECT_EQ(by_rater, (std::vector<std::int32_t>{2, 0, 2, -1, -1, 1, -1, -1, -1, -1}));
  const Votes named = Votes::from_ratings(words({"b", "", "", "", "a", "a"}, 2, "r.csv:x,y"), 2, {"a", "b"});
  named.read_ratings(0, 3, by_rater);
  EXPECT_EQ(by_rater, (std::vector<std::int32_t>{1, -1, -1, -1, 0, 0}));
  EXPECT_EQ(read_all(named).total, (Numbers{1, 0, 2}));
  EXPECT_THROW(Votes::from_labels(column({0}), 2).read_ratings(0, 1, by_rater), std::logic_error);
}

/// Law: the same votes as labels, counts or ratings, for few and for many classes, give the same blocks.
TEST(Votes, RepresentationDoesNotMatter) {
  std::mt19937_64 bits(17);
  for (const int classes : {2, 3, 32, 33, 200}) {
    for (const int raters : {1, 2, 7}) {
      const std::int64_t n = 60;
      std::vector<double> ratings, counts(static_cast<std::size_t>(n * classes), 0.0);
      for (std::int64_t i = 0; i < n; ++i) {
        for (int r = 0; r < raters; ++r) {
          const auto k = static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(classes));
          const bool rated = raters == 1 || bits() % 4 != 0;
          ratings.push_back(rated ? static_cast<double>(k) : -1.0);
          if (rated) counts[static_cast<std::size_t>(i * classes + k)] += 1;
        }
      }
      const VoteBlock from_ratings = read_all(Votes::from_ratings(matrix(ratings, raters, "r"), classes));
      expect_same(from_ratings, read_all(Votes::from_counts(matrix(counts, classes, "c"), classes)));
      if (raters == 1) {
        EXPECT_TRUE(from_ratings.single);
        expect_same(from_ratings, read_all(Votes::from_labels(column(ratings), classes)));
      }
      for (std::int64_t i = 0; i < n && !from_ratings.single; ++i) {
        std::uint32_t sum = 0;
        for (int k = 0; k < classes; ++k) {
          EXPECT_EQ(from_ratings.hits(i, static_cast<std::uint32_t>(k)),
                    counts[static_cast<std::size_t>(i * classes + k)]);
          sum += from_ratings.hits(i, static_cast<std::uint32_t>(k));
        }
        EXPECT_EQ(from_ratings.votes(i), sum);
      }
    }
  }
}

TEST(Votes, ABlockMayBeSingleWhereTheWholeIsNot) {
  const Votes v = Votes::from_ratings(matrix({1, -1, -1, 0, 1, 1}, 2, "r"), 2);
  VoteBlock block;
  v.read(0, 2, block);
  EXPECT_TRUE(block.single);
  EXPECT_EQ(block.cls, (Numbers{1, 0}));
  v.read(1, 3, block);
  EXPECT_FALSE(block.single);
  EXPECT_EQ(block.total, (Numbers{1, 2}));
  v.read(0, 1, block);  // buffers of a wider block leave nothing behind
  EXPECT_TRUE(block.single && block.total.empty());
  EXPECT_EQ(block.cls, (Numbers{1}));
}

TEST(Votes, Gather) {
  const std::vector<std::int64_t> rows = {2, 2, 0};
  const Votes v = Votes::from_ratings(matrix({1, -1, -1, 0, 1, 1}, 2, "r"), 2).gather(rows);
  EXPECT_EQ(v.items(), 3);
  EXPECT_EQ(v.raters(), 2);
  EXPECT_EQ(read_all(v).total, (Numbers{2, 2, 1}));
  EXPECT_EQ(read_all(Votes::from_labels(words({"a", "b", "b"}, 1, "t"), 2, {"a", "b"}).gather(rows)).cls,
            (Numbers{1, 1, 0}));
}

TEST(Votes, BadLabelsAreNamed) {
  const auto labels = [](std::vector<double> y, int classes) {
    return Votes::from_labels(column(std::move(y)), classes);
  };
  EXPECT_EQ(
      refusal(labels({0, 12}, 10)),
      "labels.npy, row 1 is 12; labels must be whole numbers from 0 to 9; the predictions determine the number of classes");
  EXPECT_EQ(refusal(labels({0, 0.5}, 2)),
            "labels.npy, row 1 is 0.5; labels must be whole numbers from 0 to 1");
  EXPECT_EQ(
      refusal(labels({-1, 1}, 2)),
      "labels.npy, row 0 is -1; labels must be whole numbers from 0 to 1; for labels of -1 and 1 give .classes -1,1");
  EXPECT_EQ(
      refusal(labels({-1, 0}, 2)),
      "labels.npy, row 0 is -1; labels must be whole numbers from 0 to 1; for items that were not rated use .ratings, where a negative number or NaN means \"not rated\"");
  EXPECT_NE(refusal(labels({0, kNaN}, 2)).find("row 1 is nan; labels must be whole"), std::string::npos);
  EXPECT_EQ(
      refusal(labels({3, 1, 2}, 3)),
      "labels.npy, row 0 is 3; labels must be whole numbers from 0 to 2; the classes seem to be numbered from 1: subtract 1");
  EXPECT_NE(refusal(labels({3, 0, 2}, 3)).find("the predictions determine"), std::string::npos);
  const Votes bytes = Votes::from_labels(Rows(array_of(std::vector<std::uint8_t>{1, 2, 1}, {3}, "y.npy")), 2);
  EXPECT_NE(
      refusal(bytes).find(
          "y.npy, row 1 is 2; labels must be whole numbers from 0 to 1; the classes seem to be numbered from 1"),
      std::string::npos);
  EXPECT_EQ(
      complaint([] {
        (void)Votes::from_labels(matrix({0, 1, 1, 0}, 2, "y.npy"), 2);
      }),
      "y.npy is 2 x 2; .labels takes one class per item; use .ratings for several raters or .counts for votes by class");
}

TEST(Votes, BadTextIsNamed) {
  EXPECT_EQ(
      complaint([] {
        (void)Votes::from_labels(words({"cat", "catt"}, 1, "y.csv:label"), 2, {"cat", "dog"});
      }),
      "y.csv:label, row 1 is \"catt\", which is not among the classes cat, dog (did you mean \"cat\"?)");
  EXPECT_EQ(complaint([] { (void)Votes::from_labels(words({"cat"}, 1, "y.csv:label"), 2); }),
            "y.csv:label holds text; name the classes in order with .classes a,b,c");
  EXPECT_EQ(complaint([] {
              (void)Votes::from_labels(words({"cat"}, 1, "y"), 3, {"cat", "dog"});
            }),
            ".classes gives 2 names but the predictions have 3 classes; name every class once, in order");
  EXPECT_NE(complaint([] {
              (void)Votes::from_labels(words({""}, 1, "y"), 2, {"cat", "dog"});
            }).find("is empty or null"),
            std::string::npos);
  EXPECT_EQ(complaint([] {
              (void)Votes::from_ratings(words({"a", "x"}, 2, "r"), 2, {"a", "b"});
            }),
            "r, row 0, column 1 is \"x\", which is not among the classes a, b");
}

TEST(Votes, BadCountsAreNamed) {
  const auto counts = [](std::vector<double> c) {
    return Votes::from_counts(matrix(std::move(c), 2, "c.npy"), 2);
  };
  EXPECT_EQ(refusal(counts({1, 2, 0, -1})),
            "c.npy, row 1, column 1 is -1; a count must be a whole number from 0 to 4294967295");
  EXPECT_EQ(
      refusal(counts({0.25, 0.75})),
      "c.npy, row 0, column 0 is 0.25; a count must be a whole number from 0 to 4294967295; multiply shares of votes by the number of votes");
  EXPECT_NE(refusal(counts({1, kNaN})).find("column 1 is nan"), std::string::npos);
  EXPECT_NE(refusal(counts({1, 1e12})).find("column 1 is 1000000000000"), std::string::npos);
  EXPECT_EQ(refusal(counts({4294967295, 1})),
            "c.npy, row 0 has 4294967296 votes; an item may have 4294967295 at most");
  EXPECT_EQ(read_all(counts({4294967294, 1})).total, (Numbers{4294967295}));
  EXPECT_EQ(complaint([] {
              (void)Votes::from_counts(matrix({1, 2, 3}, 3, "c.npy"), 4);
            }),
            "c.npy is 1 x 3 but there are 4 classes; .counts needs one column per class");
  EXPECT_EQ(
      complaint([] {
        (void)Votes::from_counts(column({1, 2}, "c.npy"), 2);
      }),
      "c.npy is 2 but there are 2 classes; .counts needs one column per class: votes for class 0, votes for class 1");
  EXPECT_EQ(complaint([] {
              (void)Votes::from_counts(words({"a", "b"}, 2, "c.csv"), 2);
            }),
            "c.csv holds text; counts must be numbers");
}

TEST(Votes, BadRatingsAreNamed) {
  const auto ratings = [](std::vector<double> r) {
    return Votes::from_ratings(matrix(std::move(r), 2, "r.npy"), 3);
  };
  EXPECT_EQ(
      refusal(ratings({0, 1, -1, 7})),
      "r.npy, row 1, column 1 is 7; ratings must be whole numbers from 0 to 2; the predictions determine the number of classes");
  EXPECT_EQ(
      refusal(ratings({1, 3, -1, 2})),
      "r.npy, row 0, column 1 is 3; ratings must be whole numbers from 0 to 2; the classes seem to be numbered from 1: subtract 1");
  EXPECT_EQ(refusal(ratings({1.5, 0})),
            "r.npy, row 0, column 0 is 1.5; ratings must be whole numbers from 0 to 2");
  std::vector<std::int32_t> out;
  EXPECT_THROW(ratings({0, 9}).read_ratings(0, 1, out), InputError);
  EXPECT_EQ(complaint([] {
              (void)Votes::from_ratings(Rows(array_of(std::vector<double>(8, 0.0), {2, 2, 2}, "r.npy")), 3);
            }),
            "r.npy is 2 x 2 x 2; .ratings takes N x R, one column per rater");
}

TEST(Votes, Empty) {
  EXPECT_EQ(Votes().items(), 0);
  EXPECT_EQ(read_all(Votes::from_labels(column({}), 2)).cls, Numbers{});
  EXPECT_EQ(read_all(Votes::from_counts(Rows(array_of(std::vector<double>{}, {0, 2}, "c")), 2)).cls,
            Numbers{});
}

}  // namespace
}  // namespace plumb
