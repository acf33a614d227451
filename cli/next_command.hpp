// The suggested next command, printed at the end of a command's output.
#pragma once

#include <functional>
#include <string>

#include "shell/flags.hpp"

namespace plumb::cli {

/// A word as a shell takes it.
[[nodiscard]] std::string shell_word(const std::string& word);

/// Flags with their values, each quoted and in one part; `keep` chooses among the flags.
[[nodiscard]] Args argument_parts(const Args& args, const std::function<bool(const std::string& flag)>& keep);

/// "Next", why, and the command: lines broken between the parts.
[[nodiscard]] std::string next_command(const std::string& why, const Args& parts);

}  // namespace plumb::cli
