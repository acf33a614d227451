// The SIMD target in use. The bits do not depend on it; tests force each in turn.
#pragma once

#include <string>
#include <vector>

namespace plumb {

[[nodiscard]] std::vector<std::string> simd_targets();  ///< those this machine can run, best first
[[nodiscard]] std::string simd_target();                ///< the one in use
void force_simd_target(const std::string& name);  ///< "" restores the best; throws std::invalid_argument

}  // namespace plumb
