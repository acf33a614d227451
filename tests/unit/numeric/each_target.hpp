// Runs a test body once for every SIMD target of this machine.
#pragma once

#include <gtest/gtest.h>

#include "plumb/numeric/simd.hpp"

namespace plumb {

template <class Body>
void each_target(Body body) {
  for (const auto& name : simd_targets()) {
    force_simd_target(name);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, "SIMD target " + name);
    body();
    if (::testing::Test::HasFatalFailure()) break;
  }
  force_simd_target("");
}

}  // namespace plumb
