#include "plumb/data/texts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {
namespace {

TEST(Texts, GiveBackWhatWasAdded) {
  const std::vector<std::string> want{"",   "a", std::string("b\0c", 3), "", std::string(100000, 'x'),
                                      "17", ""};
  Texts texts;
  EXPECT_EQ(texts.size(), 0);
  for (const std::string& t : want) texts.add(t);
  texts.close();
  ASSERT_EQ(texts.size(), std::ssize(want));
  for (std::int64_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], want[i]) << i;
  EXPECT_TRUE(texts == Texts(want));
}

TEST(Texts, AreEqualWhenEachOfThemIs) {
  const std::vector<std::string> a{"ab", "c"}, b{"a", "bc"}, c{"ab", "c", ""};
  EXPECT_FALSE(Texts(a) == Texts(b));
  EXPECT_FALSE(Texts(a) == Texts(c));
  EXPECT_TRUE(Texts(a) == Texts(a));
}

TEST(Texts, BeyondTheBudgetAreTheSame) {
  Texts texts;
  const std::string filler(90, '.');
  constexpr std::int64_t kCount = 1'000'000;  // 100 MB
  for (std::int64_t i = 0; i < kCount; ++i) texts.add(std::to_string(i) + filler);
  const Array a = array_of(std::move(texts), {kCount}, "t");
  const Rows rows(a);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < kCount; ++i) wrong += rows.text(i) != std::to_string(i) + filler ? 1 : 0;
  EXPECT_EQ(wrong, 0);
}

TEST(Texts, NeedAShapeThatHoldsThem) {
  EXPECT_THROW((void)array_of(Texts(std::vector<std::string>{"a"}), {2}, "t"), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
