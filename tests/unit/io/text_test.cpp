#include "io/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace plumb::detail {
namespace {

TEST(Text, Utf8) {
  for (const char* good : {"", "plain", "\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\x98\x80", "a\xc3\xa9z"}) {
    EXPECT_TRUE(valid_utf8(good)) << good;
  }
  // A lone continuation, a cut character, overlong forms, a surrogate, beyond U+10FFFF.
  for (const char* bad : {"\x80", "\xc3", "a\xe6\x97", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80",
                          "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xc3\x28"}) {
    EXPECT_FALSE(valid_utf8(bad));
  }
}

TEST(Text, EveryCodePointMakesValidUtf8) {
  for (char32_t c = 0; c <= 0x110000; c += c < 0x1000 ? 1 : 97) {
    std::string s;
    const bool is_character = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    EXPECT_EQ(append_utf8(s, c), is_character) << static_cast<std::uint32_t>(c);
    EXPECT_TRUE(valid_utf8(s));
  }
}

TEST(Text, QuotedForMessages) {
  EXPECT_EQ(in_quotes("abc"), "\"abc\"");
  EXPECT_EQ(in_quotes("a\nb\x01"), "\"a?b?\"");
  EXPECT_EQ(in_quotes("caf\xe9"), "\"caf?\"");
  EXPECT_EQ(in_quotes("caf\xc3\xa9"), "\"caf\xc3\xa9\"");
  EXPECT_EQ(in_quotes(std::string(50, 'x')), '"' + std::string(40, 'x') + "...\"");
  EXPECT_EQ(in_quotes(std::string(39, 'x') + "\xc3\xa9y"), '"' + std::string(39, 'x') + "...\"");
}

TEST(Text, TrimmedAndLower) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed("  "), "");
  EXPECT_EQ(lower("A.NpY"), "a.npy");
}

}  // namespace
}  // namespace plumb::detail
