#include "plumb/io/png.hpp"

#include <gtest/gtest.h>

#include "plumb/io/pictures.hpp"
#include "unit/io/files.hpp"
#include "unit/io/volumes.hpp"

namespace plumb {
namespace {

Array parse(const std::string& bytes) { return parse_png(as_span(bytes), "a.png"); }
std::string said(const std::string& bytes) {
  return complaint([&] { (void)parse(bytes); });
}

TEST(Png, ReadsWhatItsWriterWrites) {
  const std::vector<std::uint8_t> pixels = {0, 1, 2, 255, 128, 7};
  const Array a = parse(encode_png(pixels, 2, 3, 1));
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(a.dtype, DType::u8);
  EXPECT_EQ(values_of(a), (std::vector<double>{0, 1, 2, 255, 128, 7}));
}

TEST(Png, EveryFilter) {
  // By hand: 3 pixels a line; line 0 as it is, then sub, up, average, Paeth.
  const std::vector<double> expected = {10, 20, 30, 1, 2, 4, 11, 22, 34, 5, 9, 19, 5, 10, 20};
  const std::string lines(
      "\0\x0a\x14\x1e"  // none
      "\1\1\1\2"        // 1, 1 + 1, 2 + 2
      "\2\x0a\x14\x1e"  // + the line above
      "\3\0\xfc\xfe"    // 11/2, (5 + 22)/2 - 4, (9 + 34)/2 - 2
      "\4\0\1\1",       // Paeth: 5, 9, 19
      20);
  EXPECT_EQ(values_of(parse(png_file(3, 5, 8, 0, lines))), expected);
  EXPECT_EQ(values_of(parse(png_file(3, 5, 8, 3, lines, 7))), expected) << "a palette, in small pieces";
}

TEST(Png, Depths) {
  EXPECT_EQ(values_of(parse(png_file(10, 1, 1, 0, std::string("\0\xa5\x40", 3)))),
            (std::vector<double>{1, 0, 1, 0, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(values_of(parse(png_file(3, 1, 2, 3, std::string("\0\xe4", 2)))), (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(values_of(parse(png_file(3, 1, 4, 3, std::string("\0\x1f\x20", 3)))),
            (std::vector<double>{1, 15, 2}));
  const Array deep =
      parse(png_file(2, 1, 16, 0, std::string("\1\x01\x02\x00\x01", 5)));  // sub, two bytes back
  EXPECT_EQ(deep.dtype, DType::u16);
  EXPECT_EQ(values_of(deep), (std::vector<double>{258, 259}));
}

TEST(Png, WhatIsWrongIsSaid) {
  const std::string good = png_file(2, 1, 8, 0, std::string("\0\1\2", 3));
  EXPECT_EQ(said("x"), "a.png is not a PNG file");
  EXPECT_EQ(said(good.substr(0, good.size() - 3)), "a.png is a damaged PNG file: it ends early");
  std::string flipped = good;
  flipped[20] ^= 1;
  EXPECT_EQ(said(flipped), "a.png is a damaged PNG file: a checksum does not match");
  EXPECT_NE(said(png_file(1, 1, 8, 2, std::string(4, '\0'))).find("with colours"), std::string::npos);
  EXPECT_NE(said(png_file(1, 1, 8, 0, std::string(2, '\0'), 1000, 1)).find("interlac"), std::string::npos);
  EXPECT_NE(said(png_file(0x7fffffff, 0x7fffffff, 8, 0, "x")).find("more than the file can hold"),
            std::string::npos);
  EXPECT_EQ(said(png_file(0, 1, 8, 0, "x")), "a.png is a damaged PNG file: its size is 0 x 1");
  EXPECT_EQ(said(png_file(2, 2, 8, 0, std::string("\0\1\2", 3))),
            "a.png is damaged: its compressed data end early");
  EXPECT_EQ(said(png_file(1, 1, 8, 0, std::string("\0\1\2", 3))),
            "a.png is damaged: it decompresses to more than its header declares");
  EXPECT_EQ(said(png_file(1, 1, 8, 0, "\7\1")), "a.png is a damaged PNG file: a line has filter 7");
}

}  // namespace
}  // namespace plumb
