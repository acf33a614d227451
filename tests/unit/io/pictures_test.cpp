#include "plumb/io/pictures.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/io/files.hpp"

namespace plumb {
namespace {

/// An independent reader of what encode_png writes: one IDAT, every line as it is.
struct Decoded {
  std::uint32_t width = 0, height = 0;
  int colour = 0;
  std::vector<int> pixels;
};

std::uint32_t u32(const std::string& s, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(s.at(at + i));
  return x;
}

Decoded decode(const std::string& png) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  Decoded out;
  std::string packed;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t size = u32(png, at);
    const std::string checked = png.substr(at + 4, size + 4), body = checked.substr(4);
    EXPECT_EQ(u32(png, at + 8 + size),
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
    if (checked.starts_with("IHDR")) {
      out.width = u32(body, 0);
      out.height = u32(body, 4);
      out.colour = body[9];
      EXPECT_EQ(body[8], 8);
    }
    if (checked.starts_with("IDAT")) packed = body;
    at += size + 12;
  }
  const std::size_t channels = out.colour == 0 ? 1 : out.colour == 2 ? 3 : 4;
  const std::size_t line = out.width * channels + 1;
  std::string raw(line * out.height, '\0');
  uLongf size = raw.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(raw.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(size, raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i)
    if (i % line != 0) out.pixels.push_back(static_cast<unsigned char>(raw[i]));
  return out;
}

std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(letters.find(c));
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

Decoded picture(const Pictures& p, std::int64_t row) {
  const std::string head = "data:image/png;base64,", uri = p.data_uri(row);
  EXPECT_TRUE(uri.starts_with(head)) << uri.substr(0, 40);
  return decode(from_base64(uri.substr(head.size())));
}

Pictures bytes(std::vector<std::uint8_t> values, std::vector<std::int64_t> shape) {
  return {Rows(array_of(std::move(values), std::move(shape), "images.npy")), "images.npy"};
}

TEST(Pictures, GreyBytesAreShownAsTheyAre) {
  const Pictures p = bytes({0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255}, {2, 2, 3});
  EXPECT_EQ(p.size(), 2);
  const Decoded d = picture(p, 1);
  EXPECT_EQ(d.width, 3u);
  EXPECT_EQ(d.height, 2u);
  EXPECT_EQ(d.colour, 0);
  EXPECT_EQ(d.pixels, (std::vector<int>{250, 251, 252, 253, 254, 255}));
}

TEST(Pictures, ChannelsFirstAndLastAreTheSamePicture) {
  const Decoded last = picture(bytes({1, 10, 100, 2, 20, 200, 3, 30, 130, 4, 40, 140}, {1, 2, 2, 3}), 0);
  const Decoded first = picture(bytes({1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 130, 140}, {1, 3, 2, 2}), 0);
  EXPECT_EQ(last.colour, 2);
  EXPECT_EQ(last.pixels, (std::vector<int>{1, 10, 100, 2, 20, 200, 3, 30, 130, 4, 40, 140}));
  EXPECT_EQ(first.pixels, last.pixels);
}

TEST(Pictures, OtherNumbersAreStretched) {
  const auto shown = [](std::vector<double> x) {
    return picture(Pictures(Rows(array_of(std::move(x), {1, 1, 3}, "x.npy")), "x.npy"), 0).pixels;
  };
  EXPECT_EQ(shown({0.0, 0.2, 1.0}), (std::vector<int>{0, 51, 255})) << "0 to 1 is black to white";
  EXPECT_EQ(shown({0.2, 0.2, 0.4}), (std::vector<int>{51, 51, 102})) << "whatever the picture holds";
  EXPECT_EQ(shown({-1.0, 0.0, 4.0}), (std::vector<int>{0, 51, 255}));
  EXPECT_EQ(shown({7.0, 7.0, 7.0}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(shown({NAN, INFINITY, 1.0}), (std::vector<int>{0, 0, 255}));
}

TEST(Pictures, LargeOnesAreAveraged) {
  std::vector<std::uint8_t> values(128 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 100 : 200;  // stripes
  const Decoded d = picture(bytes(values, {1, 128, 64}), 0);
  EXPECT_EQ(d.height, 64u);
  EXPECT_EQ(d.width, 32u);
  for (const int x : d.pixels) ASSERT_EQ(x, 150);
  const Decoded thin = picture(bytes(std::vector<std::uint8_t>(1000, 9), {1, 1, 1000}), 0);
  EXPECT_EQ(thin.height, 1u);
  EXPECT_EQ(thin.width, 64u);
}

TEST(Pictures, FilesBesideTheTableAreTakenWhole) {
  const TempDir folder;
  const std::string png = encode_png(std::vector<std::uint8_t>{7}, 1, 1, 1);
  folder.write("a.png", png);
  folder.write("large.gif", "GIF89a" + std::string(kMostPictureBytes, 'x'));
  folder.write("page.png", "<svg onload=alert(1)>");
  const Pictures p(Rows(array_of(std::vector<std::string>{"a.png", "large.gif", "page.png", "none.png"}, {4},
                                 "t.csv:file")),
                   folder / "t.csv");
  EXPECT_EQ(picture(p, 0).pixels, (std::vector<int>{7}));
  EXPECT_EQ(p.data_uri(1), "") << "too large for a page";
  EXPECT_THROW((void)p.data_uri(2), InputError) << "what it is called does not make it a picture";
  EXPECT_THROW((void)p.data_uri(3), InputError);
}

TEST(Pictures, WhatIsNoPictureIsSaid) {
  EXPECT_THROW(bytes({1, 2, 3, 4}, {2, 2}), InputError);
  EXPECT_THROW(bytes(std::vector<std::uint8_t>(40), {1, 2, 4, 5}), InputError);
}

}  // namespace
}  // namespace plumb
