#include "io/arrow_library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "unit/io/files.hpp"

namespace plumb::detail {
namespace {

/// Beside the folder of the tests' programs.
std::string wrong(const std::string& fault) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path().parent_path() / ("wrong_" + fault)).string();
}

std::string said_of(const std::string& folder) {
  ::setenv("PLUMB_PLUGINS", folder.c_str(), 1);
  const std::string said = complaint([] { (void)load_arrow_library("x.parquet"); });
  ::unsetenv("PLUMB_PLUGINS");
  return said;
}

TEST(ArrowLibrary, OneThatDoesNotFitIsNamed) {
  EXPECT_EQ(said_of(wrong("interface")),
            wrong("interface") + "/libplumb_arrow.so was built for version " +
                std::to_string(PLUMB_ARROW_INTERFACE + 1) + " of its interface, and this plumb has version " +
                std::to_string(PLUMB_ARROW_INTERFACE) + "; install both from the same build");
  EXPECT_EQ(said_of(wrong("version")),
            wrong("version") +
                "/libplumb_arrow.so was built for Arrow 25.0.0, but Arrow 26.0.1 was loaded; "
                "build it with \"make arrow\"");
  const TempDir dir;
  const std::string file = dir.write("libplumb_arrow.so", "no library");
  const std::string said = said_of(dir / "");
  EXPECT_TRUE(
      said.starts_with("x.parquet: a Parquet or Arrow file needs " + file + ", which cannot be loaded ("))
      << said;
  EXPECT_TRUE(said.ends_with(
      "build it with \"make arrow\", read the file with pyarrow in Python, or use .csv or .npy"))
      << said;
}

}  // namespace
}  // namespace plumb::detail
