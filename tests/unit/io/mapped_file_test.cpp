#include "plumb/io/mapped_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

std::string content(const MappedFile& f) {
  return {reinterpret_cast<const char*>(f.bytes().data()), f.bytes().size()};
}

TEST(MappedFile, HoldsTheBytes) {
  const TempDir dir;
  const std::string text = std::string("a\0b", 3) + std::string(10000, 'x');
  const auto file = MappedFile::open(dir.write("f", text));
  EXPECT_EQ(content(*file), text);
  EXPECT_EQ(file->path(), dir / "f");
  std::filesystem::remove(dir / "f");
  EXPECT_EQ(content(*file), text);  // the mapping outlives the name
}

TEST(MappedFile, APipeIsReadToItsEnd) {
  const TempDir dir;
  const std::string path = dir / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string text(3000000, 'p');
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << text; });
  const auto file = MappedFile::open(path);
  writer.join();
  EXPECT_EQ(content(*file), text);
}

TEST(MappedFile, AnEmptyPipe) {
  const TempDir dir;
  const std::string path = dir / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << ""; });
  EXPECT_EQ(complaint([&] { (void)MappedFile::open(path); }),
            path + " gave no data (a pipe can be read only once; save it to a file to use it again)");
  writer.join();
}

TEST(MappedFile, Complaints) {
  const TempDir dir;
  const auto said = [&](const std::string& path) { return complaint([&] { (void)MappedFile::open(path); }); };
  EXPECT_EQ(said(dir / "none"), dir / "none" + " does not exist");
  EXPECT_EQ(said(dir.write("f", "x") + "/g"), dir / "f/g" + " does not exist");
  EXPECT_EQ(said(dir.write("empty", "")), dir / "empty" + " is empty (0 bytes)");
  std::filesystem::create_directory(dir / "sub");
  EXPECT_EQ(said(dir / "sub"),
            dir / "sub" + " is a directory; name the files in it, or give a quoted pattern such as \"" +
                (dir / "sub/*.npy") + "\"");
  EXPECT_EQ(said("/dev/zero"), "/dev/zero is a device, not a file of data");
}

TEST(MappedFile, AFileWithoutPermission) {
  const TempDir dir;
  ::chmod(dir.write("locked", "x").c_str(), 0);
  const AsOrdinaryUser ordinary;
  EXPECT_EQ(complaint([&] { (void)MappedFile::open(dir / "locked"); }),
            dir / "locked" + " cannot be opened: Permission denied");
}

}  // namespace
}  // namespace plumb
