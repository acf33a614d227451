// The temporary files of AtomicFile: their names, and the end of those that a killed process has left behind.
#pragma once

#include <string>

namespace plumb::detail {

/// ".result.json.plumb-4711-0.tmp".
[[nodiscard]] std::string unfinished_name(const std::string& base, int process, unsigned serial);
/// Removes the files of such names in a folder ("" is the current one) that no process holds locked. Each
/// folder once; what cannot be removed stays without a word.
void sweep_unfinished(const std::string& folder);

}  // namespace plumb::detail
