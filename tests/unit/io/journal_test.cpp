#include "plumb/io/journal.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "unit/io/files.hpp"

namespace plumb {
namespace {

const Dependencies kOn{{"bins", "15"}, {"clip", "0"}};
const Dependencies kFile{{"p.npy", "1 2"}};

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string begin_journal(const TempDir& dir, int records) {
  const std::string path = dir / "run";
  Journal journal(path, kOn);
  for (int i = 0; i < records; ++i)
    journal.save("case" + std::to_string(i), kFile, std::string(100 + i, static_cast<char>('a' + i)));
  return path;
}

TEST(Journal, GivesBackWhatWasSaved) {
  const TempDir dir;
  const std::string path = begin_journal(dir, 3);
  const Journal again(path, kOn);
  EXPECT_EQ(again.load("case1", kFile), std::string(101, 'b'));
  EXPECT_EQ(again.load("case3", kFile), std::nullopt);
}

TEST(Journal, ACutLosesOneRecordAndTheNextTakesItsPlace) {
  const TempDir dir;
  const std::string path = begin_journal(dir, 3), whole = contents(path);
  for (std::size_t lost = 1; lost < 100; lost += 7) {
    dir.write("run", whole.substr(0, whole.size() - lost));
    {
      Journal again(path, kOn);
      EXPECT_EQ(again.load("case1", kFile), std::string(101, 'b'));
      EXPECT_EQ(again.load("case2", kFile), std::nullopt) << lost;
      again.save("case2", kFile, std::string(102, 'c'));
    }
    EXPECT_EQ(contents(path), whole);
  }
}

TEST(Journal, SaysWhatDiffers) {
  const TempDir dir;
  const std::string path = begin_journal(dir, 1);
  const auto said = [&](const Dependencies& run, const Dependencies& file) -> std::string {
    try {
      (void)Journal(path, run).load("case0", file);
    } catch (const InputError& e) {
      return e.sentence();
    }
    return "";
  };
  EXPECT_EQ(said(kOn, kFile), "");
  EXPECT_NE(said({{"bins", "15"}, {"clip", "1"}}, kFile).find("another clip"), std::string::npos);
  EXPECT_NE(said({{"bins", "15"}}, kFile).find("another clip"), std::string::npos);
  EXPECT_NE(said(kOn, {{"p.npy", "1 3"}}).find("p.npy has changed"), std::string::npos);
}

TEST(Journal, DamageWithinIsRefused) {
  const TempDir dir;
  const std::string path = begin_journal(dir, 3), whole = contents(path);
  for (std::size_t at = 0; at + 200 < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    Dependencies on;
    std::size_t end = 0;
    try {
      // A length that reaches beyond the file is a record cut short, which nothing tells from a kill.
      EXPECT_LT(Journal::parse(bytes, path, on, end).size(), 3U) << at;
    } catch (const InputError& e) {
      EXPECT_NE(e.sentence().find("run"), std::string::npos);
    }
  }
}

/// Numbers within a record whose checksum is right.
TEST(Journal, HostileLengths) {
  const auto fnv = [](const std::string& bytes) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h;
  };
  const auto word = [](std::uint64_t x) { return std::string(reinterpret_cast<const char*>(&x), 8); };
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const std::string payload = word(n);
    const std::string file =
        std::string("PLUMBRUN\1\0\0\0", 12) + word(payload.size()) + word(fnv(payload)) + payload;
    Dependencies on;
    std::size_t end = 0;
    EXPECT_THROW((void)Journal::parse(file, "run", on, end), InputError) << n;
  }
}

}  // namespace
}  // namespace plumb
