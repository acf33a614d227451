// What both programs (plumb, plumb-train) are around their commands: exit codes, and one sentence for
// whatever was thrown.
#pragma once

#include <functional>
#include <string>

namespace plumb::cli {

inline constexpr int kDone = 0;
inline constexpr int kInternalFailure = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kGateHeld = 3;  ///< a --fail-if held

/// Runs the program and turns what it throws into a sentence on standard error and an exit code.
/// `out_of_memory` is the sentence for std::bad_alloc.
[[nodiscard]] int run_program(const std::function<int()>& program, const std::string& out_of_memory);

}  // namespace plumb::cli
