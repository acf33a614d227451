#include "plumb/io/idx.hpp"

#include <gtest/gtest.h>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

const std::string kTwoByThree(
    "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"
    "\1\2\3\4\5\xff",
    18);

std::string complaint(const std::string& path, int axes) {
  try {
    static_cast<void>(read_idx(path, axes));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Idx, ReadsPlainAndGzip) {
  const TempDir dir;
  const std::string plain = dir.write("a", kTwoByThree), packed = dir / "a.gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, kTwoByThree.data(), 18), 18);
  gzclose(file);
  for (const std::string& path : {plain, packed}) {
    const IdxBytes a = read_idx(path, 2);
    EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(a.values, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 255}));
  }
}

TEST(Idx, BadFilesAreOneSentence) {
  const TempDir dir;
  EXPECT_NE(complaint(dir / "none", 2).find("cannot open"), std::string::npos);
  EXPECT_NE(complaint(dir.write("axes", kTwoByThree), 1).find("begins with the word 2050, not 2049"),
            std::string::npos);
  EXPECT_NE(complaint(dir.write("short", kTwoByThree.substr(0, 17)), 2).find("ends before it should"),
            std::string::npos);
  EXPECT_NE(complaint(dir.write("head", kTwoByThree.substr(0, 7)), 2).find("ends before it should"),
            std::string::npos);
  EXPECT_NE(complaint(dir.write("empty", ""), 2).find("ends before it should"), std::string::npos);
  EXPECT_NE(complaint(dir.write("long", kTwoByThree + "x"), 2).find("goes on after"), std::string::npos);
}

// A header that promises 2^40 bytes takes no memory.
TEST(Idx, HeaderIsNotBelieved) {
  const TempDir dir;
  EXPECT_NE(
      complaint(dir.write("huge", std::string("\0\0\x08\x02\0\x10\0\0\0\x10\0\0", 12)), 2).find("impossible"),
      std::string::npos);
  EXPECT_NE(
      complaint(
          dir.write("overflow", std::string("\0\0\x08\x03\0\0\0\x03\xff\xff\xff\xff\xff\xff\xff\xff", 16)), 3)
          .find("impossible"),
      std::string::npos);
  EXPECT_NE(complaint(dir.write("large", std::string("\0\0\x08\x02\0\0\xff\xff\0\0\xff\xff", 12)), 2)
                .find("ends before"),
            std::string::npos);
}

}  // namespace
}  // namespace plumb
