#include "plumb/io/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

TEST(AtomicFile, AppearsWholeAtCommit) {
  const TempDir dir;
  const std::string path = dir / "out.txt";
  std::string want;
  {
    AtomicFile file(path);
    for (int i = 0; i < 100000; ++i) {
      file.write(std::to_string(i) + "\n");
      want += std::to_string(i) + "\n";
    }
    file.write(std::string(1000000, 'x'));  // longer than the buffer
    want += std::string(1000000, 'x');
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(dir.entries().size(), 1u);  // the temporary one
    file.commit();
  }
  EXPECT_EQ(read_file(path), want);
  EXPECT_EQ(dir.entries().size(), 1u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TempDir dir;
  dir.write("out", "old");
  {
    AtomicFile file(dir / "out");
    file.write("new");
  }
  EXPECT_EQ(read_file(dir / "out"), "old");
  EXPECT_EQ(dir.entries().size(), 1u);
  write_file(dir / "out", "new");
  EXPECT_EQ(read_file(dir / "out"), "new");
}

TEST(AtomicFile, KeepsModeAndFollowsLinks) {
  const TempDir dir;
  dir.write("real", "old");
  ::chmod((dir / "real").c_str(), 0640);
  std::filesystem::create_symlink("real", dir / "link");
  write_file(dir / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "real"), "new");
  struct stat info {};
  ASSERT_EQ(::stat((dir / "real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST(AtomicFile, LongNamesAndTheCurrentDirectory) {
  const TempDir dir;
  const std::string name(250, 'n');
  write_file(dir / name, "x");
  EXPECT_EQ(read_file(dir / name), "x");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir / "");
  write_file("here", "y");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(dir / "here"), "y");
}

TEST(AtomicFile, DevicesAndPipesAreWrittenDirectly) {
  write_file("/dev/null", "gone");
  const TempDir dir;
  const std::string path = dir / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(path); });
  write_file(path, "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_EQ(dir.entries().size(), 1u);
}

TEST(AtomicFile, Complaints) {
  const TempDir dir;
  const auto said = [&](const std::string& path) { return complaint([&] { write_file(path, "text"); }); };
  EXPECT_EQ(said("/dev/full"), "cannot write /dev/full: No space left on device");
  EXPECT_EQ(said(dir / "no/such/out"),
            "cannot write " + (dir / "no/such/out") + ": its directory does not exist; create it first");
  EXPECT_EQ(said(dir / ""), "cannot write " + (dir / "") + ": it is a directory");
  EXPECT_EQ(said(""), "an output file needs a name");
  EXPECT_TRUE(dir.entries().empty());
}

TEST(AtomicFile, WithoutPermission) {
  const TempDir dir;
  dir.write("kept", "old");
  ::chmod((dir / "kept").c_str(), 0444);
  ::chmod((dir / "").c_str(), 0555);
  {
    const AsOrdinaryUser ordinary;
    EXPECT_EQ(complaint([&] { write_file(dir / "new", "x"); }),
              "cannot write " + (dir / "new") + ": Permission denied");
    EXPECT_EQ(complaint([&] { write_file(dir / "kept", "x"); }),
              "cannot write " + (dir / "kept") + ": Permission denied");
  }
  ::chmod((dir / "").c_str(), 0755);
  EXPECT_EQ(read_file(dir / "kept"), "old");
}

TEST(AtomicFile, WhatCannotBeWrittenLeavesNothing) {
  const TempDir dir;
  // A limit on the file size stands in for a full disk: the write itself fails.
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{1 << 16, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = complaint([&] { write_file(dir / "big", std::string(1 << 20, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(said, "cannot write " + (dir / "big") + ": File too large");
  EXPECT_TRUE(dir.entries().empty());
}

TEST(AtomicFile, UnfinishedFilesCanBeRemovedFromASignalHandler) {
  const TempDir dir;
  AtomicFile file(dir / "out");
  ASSERT_EQ(dir.entries().size(), 1u);
  remove_unfinished_files();
  EXPECT_TRUE(dir.entries().empty());
}

}  // namespace
}  // namespace plumb
