#include "report/text_table.hpp"

#include <gtest/gtest.h>

namespace plumb::detail {
namespace {

TEST(TextTable, LinesUpByCharactersNotBytes) {
  TextTable t({"name", "n"});
  t.right(1);
  t.add({"süd", "1"});
  t.add({"north", "22"});
  EXPECT_EQ(t.render(false, 80), "  name    n\n  süd     1\n  north  22\n");
}

TEST(TextTable, EmptyColumnsAreLeftOut) {
  TextTable t({"a", "b", "c"});
  t.add({"1", "", "3"});
  EXPECT_EQ(t.render(false, 80), "  a  c\n  1  3\n");
}

TEST(TextTable, LastColumnIsCutToTheWidth) {
  TextTable t({"key", "line"});
  t.add({"ece", std::string(100, 'x')});
  const std::string text = t.render(false, 40);
  EXPECT_NE(text.find("xxx...\n"), std::string::npos);
  EXPECT_EQ(text.substr(text.find('\n') + 1).find('\n'), 40u);
}

TEST(Printable, ShowsNoControlCharacter) {
  EXPECT_EQ(printable("a\x1b[31m\n\tb\x7f"), "a?[31m??b?");
  EXPECT_EQ(printable("long name", 6), "lon...");
  EXPECT_EQ(printable("süßes", 4), "s...");
  EXPECT_EQ(printable("süßes", 5), "süßes");
}

TEST(Wrap, BreaksAtSpacesAndHangs) {
  EXPECT_EQ(wrap("one two three four five six", 20, "    "), "one two three four\n    five six");
  EXPECT_EQ(wrap("", 20, ""), "");
  EXPECT_EQ(wrap("averyveryverylongwordthatcannotbreak x", 20, ""),
            "averyveryverylongwordthatcannotbreak\nx");
}

}  // namespace
}  // namespace plumb::detail
