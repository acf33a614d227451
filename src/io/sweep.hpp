// The temporary files of AtomicFile: their names, and removal of those left by killed processes.
#pragma once

#include <string>

namespace plumb::detail {

/// ".result.json.plumb-4711-0.tmp".
[[nodiscard]] std::string unfinished_name(const std::string& base, int process, unsigned serial);
/// Removes the files of such names in a folder ("" is the current one) that no process holds locked. Each
/// folder once; files that cannot be removed are skipped silently.
void sweep_unfinished(const std::string& folder);

}  // namespace plumb::detail
