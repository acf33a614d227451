#include "plumb/version.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plumb/result.hpp"

namespace plumb {
namespace {

TEST(Version, HeadersLibraryAndProjectAgree) {
  EXPECT_STREQ(PLUMB_VERSION_STRING, PLUMB_PROJECT_VERSION);
  EXPECT_STREQ(PLUMB_VERSION_STRING, version());
  EXPECT_EQ(std::to_string(PLUMB_VERSION_MAJOR) + "." + std::to_string(PLUMB_VERSION_MINOR) + "." +
                std::to_string(PLUMB_VERSION_PATCH),
            PLUMB_VERSION_STRING);
}

}  // namespace
}  // namespace plumb
