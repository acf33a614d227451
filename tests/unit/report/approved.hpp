// Compares text with an approved file. PLUMB_APPROVE=1 writes the file instead:
// read the difference before committing it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

inline void expect_approved(const std::string& name, const std::string& text) {
  const std::string path = std::string(PLUMB_SOURCE_DIR) + "/tests/unit/report/approved/" + name;
  if (std::getenv("PLUMB_APPROVE") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing";
  std::ostringstream approved;
  approved << file.rdbuf();
  EXPECT_EQ(text, approved.str()) << "differs from " << path;
}
