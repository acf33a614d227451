// The flags of every command, for shell completion and manual pages.
#pragma once

#include <vector>

#include "shell/flag_table.hpp"

namespace plumb::cli {

/// One table per command ("evaluate", "calibrate fit", ...), in the order of the help. A command that accepts
/// other flags for regressions, manifests or sets has them all, each once.
[[nodiscard]] std::vector<FlagTable> command_flags();

}  // namespace plumb::cli
