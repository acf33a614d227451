#include "data/shared/growing_bytes.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "unit/io/files.hpp"

namespace plumb::detail {
namespace {

std::uint64_t value_at(std::uint64_t i) { return i * 0x9e3779b97f4a7c15u + 7; }

void add_values(GrowingBytes& bytes, std::uint64_t from, std::uint64_t count) {
  std::byte* const at = bytes.grow(count * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t v = value_at(from + i);
    std::memcpy(at + i * sizeof v, &v, sizeof v);
  }
}

void expect_values(GrowingBytes& bytes, std::uint64_t count) {
  ASSERT_EQ(bytes.size(), count * sizeof(std::uint64_t));
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t v = 0;
    std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
    wrong += v != value_at(i) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U);
}

[[maybe_unused]] std::int64_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kb = 0; word == "VmRSS:" && status >> kb) return kb;
  return 0;
}

TEST(GrowingBytes, HoldTheSameInMemoryAndInAFile) {
  const TempDir dir;
  ::setenv("TMPDIR", (dir / "").c_str(), 1);
  for (const std::size_t most : {std::size_t{1} << 40, std::size_t{100000}, std::size_t{1}}) {
    GrowingBytes bytes(most);
    std::uint64_t count = 0;
    for (const std::uint64_t step : {1U, 7U, 0U, 5000U, 3U, 20000U, 40000U, 1U}) {
      add_values(bytes, count, step);
      count += step;
    }
    expect_values(bytes, count);
    EXPECT_EQ(bytes.in_file(), most < count * sizeof(std::uint64_t));
    EXPECT_TRUE(dir.entries().empty());
  }
  ::unsetenv("TMPDIR");
}

TEST(GrowingBytes, InAFileTakeLittleMemoryWhileTheyGrow) {
  const TempDir dir;
  ::setenv("TMPDIR", (dir / "").c_str(), 1);
  GrowingBytes bytes(std::size_t{1} << 20);
  [[maybe_unused]] const std::int64_t before = resident_kilobytes();
  constexpr std::uint64_t kStep = 1 << 17, kSteps = 100;  // 100 times 1 MiB
  for (std::uint64_t k = 0; k < kSteps; ++k) add_values(bytes, k * kStep, kStep);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which keep books of their own
  EXPECT_LT(resident_kilobytes() - before, 20000);
#endif
  expect_values(bytes, kStep * kSteps);
  ::unsetenv("TMPDIR");
}

std::vector<std::unique_ptr<GrowingBytes>> many(std::size_t count, std::size_t each) {
  std::vector<std::unique_ptr<GrowingBytes>> out;
  for (std::size_t k = 0; k < count; ++k) {
    out.push_back(std::make_unique<GrowingBytes>());
    for (std::size_t n = 0; n < each; n += std::size_t{1} << 18)
      std::memset(out.back()->grow(std::size_t{1} << 18), 1, 1 << 18);
    out.back()->close();
  }
  return out;
}

TEST(GrowingBytes, ShareOneBudget) {
  const TempDir dir;
  ::setenv("TMPDIR", (dir / "").c_str(), 1);
  constexpr std::size_t kEach = std::size_t{8} << 20;
  for (int round = 0; round < 2; ++round) {  // what is freed can be used again
    std::size_t in_memory = 0;
    for (const auto& bytes : many(20, kEach)) in_memory += bytes->in_file() ? 0 : bytes->size();
    EXPECT_LE(in_memory, kMemoryBudget);
    EXPECT_GE(in_memory, kMemoryBudget / 2);
  }
  EXPECT_TRUE(dir.entries().empty());
  ::unsetenv("TMPDIR");
}

TEST(GrowingBytes, ADiskThatIsFullGivesThemBackToMemory) {
  const TempDir dir;
  ::setenv("TMPDIR", (dir / "").c_str(), 1);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{std::size_t{4} << 20, old.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  GrowingBytes bytes(100);
  add_values(bytes, 0, 1000);
  const bool in_file = bytes.in_file();
  for (std::uint64_t k = 1; k < 1000; ++k) add_values(bytes, k * 1000, 1000);
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, SIG_DFL);
  EXPECT_TRUE(in_file);
  EXPECT_FALSE(bytes.in_file());
  expect_values(bytes, 1000 * 1000);
  ::unsetenv("TMPDIR");
}

TEST(GrowingBytes, ClosedKeepNothingOpenAndTheSameBytes) {
  const TempDir dir;
  ::setenv("TMPDIR", (dir / "").c_str(), 1);
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  GrowingBytes bytes(100);
  add_values(bytes, 0, 5000);
  EXPECT_EQ(open_files(), before + 1);
  bytes.close();
  EXPECT_EQ(open_files(), before);
  EXPECT_TRUE(bytes.in_file());
  expect_values(bytes, 5000);
  ::unsetenv("TMPDIR");
}

TEST(GrowingBytes, AFolderThatTakesNoFileLeavesThemInMemory) {
  ::setenv("TMPDIR", "/nowhere", 1);
  GrowingBytes bytes(100);
  add_values(bytes, 0, 1000);
  add_values(bytes, 1000, 1000);
  ::unsetenv("TMPDIR");
  EXPECT_FALSE(bytes.in_file());
  expect_values(bytes, 2000);
}

}  // namespace
}  // namespace plumb::detail
