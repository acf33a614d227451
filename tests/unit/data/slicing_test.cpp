// Numbers cut into ranges, and intersections of ways to slice.
#include "plumb/data/slicing.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

Names ages() {
  return Names(Rows(array_of(std::vector<double>{30, 20, 20, 40, 50, 60, 70, 80}, {8}, "cohort.csv:age")));
}
Names sexes() {
  return Names(Rows(array_of(Texts(std::vector<std::string>{"f", "m", "f", "m", "f", "m", "f", "m"}), {8},
                             "cohort.csv:sex")));
}

TEST(Slicing, QuantilesKeepEqualNumbersTogetherAndAreNamedByTheirRange) {
  const Names cut = cut_names(ages(), parse_cut("age=quantile4", "--cut"));
  EXPECT_EQ(cut.title(), "age");
  EXPECT_EQ(cut.name(0), "30 to 40");
  EXPECT_EQ(cut.name(1), "20");
  EXPECT_EQ(cut.name(2), "20");
  EXPECT_EQ(cut.name(3), "30 to 40");
  EXPECT_EQ(cut.name(5), "50 to 60");
  EXPECT_EQ(cut.name(7), "70 to 80");
}

TEST(Slicing, ANumberOnAnEdgeBelongsToTheRangeAbove) {
  const Names cut = cut_names(ages(), parse_cut("age=40,65", "--cut"));
  EXPECT_EQ(cut.name(1), "below 40");
  EXPECT_EQ(cut.name(3), "40 to below 65");
  EXPECT_EQ(cut.name(7), "65 and above");
}

TEST(Slicing, IntersectionsFollowTheWays) {
  const std::vector<Names> ways{ages(), sexes()};
  const std::vector<Names> all = with_intersections(ways, 2);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].title(), "age x sex");
  EXPECT_EQ(all[2].name(0), "30, f");
  EXPECT_EQ(all[2].name(1), "20, m");
  EXPECT_EQ(all[2].distinct().size(), 8u);
  EXPECT_EQ(with_intersections(ways, 1).size(), 2u);
  EXPECT_EQ(with_intersections(std::vector<Names>{ages(), sexes(), sexes()}, 3).size(), 7u);
}

TEST(Slicing, BadCutsAreRefused) {
  for (const char* text : {"age", "=quantile4", "age=", "age=quantile", "age=quantile1", "age=quantile2.5",
                           "age=40,40", "age=40,30", "age=x", "age=40,", "age=inf"})
    EXPECT_THROW(static_cast<void>(parse_cut(text, "--cut")), InputError) << text;
  EXPECT_THROW(static_cast<void>(cut_names(sexes(), parse_cut("sex=quantile2", "--cut"))), InputError);
}

}  // namespace
}  // namespace plumb
