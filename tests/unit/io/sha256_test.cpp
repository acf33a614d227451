#include "plumb/io/sha256.hpp"

#include <gtest/gtest.h>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

// Golden: FIPS 180-4 examples and the NIST vectors.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256(as_span("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(as_span("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(as_span("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(as_span(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeTheSameDigestAsTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t step = 1; step < 130; ++step) {
    Sha256 s;
    for (std::size_t at = 0; at < text.size(); at += step)
      s.update(as_span(std::string_view(text).substr(at, step)));
    EXPECT_EQ(s.hex(), sha256(as_span(text))) << "step " << step;
    EXPECT_EQ(s.hex(), s.hex());
  }
}

TEST(Sha256, OfAFile) {
  const TempDir dir;
  EXPECT_EQ(sha256_file(dir.write("abc", "abc")), sha256(as_span("abc")));
  EXPECT_EQ(sha256_file(dir.write("empty", "")), sha256(as_span("")));
  const std::string large(700001, 'z');
  EXPECT_EQ(sha256_file(dir.write("large", large)), sha256(as_span(large)));
  EXPECT_EQ(complaint([&] { (void)sha256_file(dir / "none"); }),
            dir / "none" + " cannot be opened: No such file or directory");
  EXPECT_NE(complaint([&] { (void)sha256_file(dir / ""); }), "no complaint");
}

}  // namespace
}  // namespace plumb
