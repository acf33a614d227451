#include "plumb/io/plugin.hpp"

#include <gtest/gtest.h>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

const PluginWords kWords{"doubling numbers", "build it"};

/// Sets PLUMB_PLUGINS for a while.
class Folders {
 public:
  explicit Folders(const std::string& list) { ::setenv("PLUMB_PLUGINS", list.c_str(), 1); }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  ~Folders() { ::unsetenv("PLUMB_PLUGINS"); }
};

std::filesystem::path program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}
std::string sample_folder() { return (program_folder() / "test_plugins").string(); }

TEST(Plugin, IsLoadedAndCalled) {
  const Folders folders("/nowhere:" + sample_folder());
  EXPECT_TRUE(has_plugin("sample"));
  const Plugin plugin("sample", 7, kWords);
  EXPECT_EQ(plugin.path(), sample_folder() + "/libplumb_sample.so");
  EXPECT_EQ(plugin.function<int(int)>("plumb_sample_twice")(21), 42);
  EXPECT_EQ(
      complaint([&] { (void)plugin.function<int()>("other"); }),
      plugin.path() +
          " is not a plugin of this plumb (it has no function other); install both from the same build");
}

TEST(Plugin, FoldersAreThoseOfTheVariableThenThoseAroundTheProgram) {
  const Folders folders(":/b//:/a/../c::");
  const std::vector<std::string> all = plugin_folders();
  ASSERT_GE(all.size(), 4U);
  EXPECT_EQ(all[0], "/b");
  EXPECT_EQ(all[1], "/c");
  EXPECT_EQ(all[2], program_folder().string());
  EXPECT_EQ(all[3], (program_folder().parent_path() / "lib/plumb").string());
}

TEST(Plugin, OneThatIsNotThereSaysWhereItWasLookedForAndHowToGetIt) {
  const Folders folders("/nowhere");
  EXPECT_FALSE(has_plugin("absent"));
  const std::string said = complaint([] { (void)Plugin("absent", 1, kWords); });
  EXPECT_TRUE(said.starts_with("doubling numbers needs libplumb_absent.so, which is not in /nowhere, "))
      << said;
  EXPECT_TRUE(said.ends_with("; build it")) << said;
}

TEST(Plugin, OfAnotherInterfaceIsRefused) {
  const Folders folders(sample_folder());
  EXPECT_EQ(complaint([] { (void)Plugin("sample", 8, kWords); }),
            sample_folder() +
                "/libplumb_sample.so was built for version 7 of its interface, and this plumb has version 8; "
                "install both from the same build");
}

TEST(Plugin, WhatCannotBeLoadedIsOneSentence) {
  const TempDir dir;
  dir.write("libplumb_text.so", "not a shared object");
  dir.write("libplumb_empty.so", "");
  std::filesystem::create_directory(dir / "libplumb_folder.so");
  const Folders folders(dir / "");
  for (const char* name : {"text", "empty", "folder"}) {
    const std::string said = complaint([&] { (void)Plugin(name, 1, kWords); });
    EXPECT_TRUE(said.starts_with("doubling numbers needs " + dir / "libplumb_" + name +
                                 ".so, which cannot be loaded ("))
        << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace plumb
