#include "plumb/numeric/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace plumb {
namespace {

TEST(Simd, EachTargetCanBeForced) {
  const auto targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(simd_target(), targets.front());
  for (const auto& name : targets) {
    force_simd_target(name);
    EXPECT_EQ(simd_target(), name);
    EXPECT_EQ(simd_targets(), targets);  // the list does not depend on what is in use
    EXPECT_EQ(simd_target(), name);
  }
  force_simd_target("");
  EXPECT_EQ(simd_target(), targets.front());
}

TEST(Simd, UnknownTargetsAreRefusedAndLeaveTheBest) {
  EXPECT_THROW(force_simd_target("ABACUS"), std::invalid_argument);
  EXPECT_EQ(simd_target(), simd_targets().front());
}

}  // namespace
}  // namespace plumb
