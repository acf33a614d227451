#pragma once

#include "shell/flags.hpp"

namespace plumb::cli {

/// Becomes plumb-train with these arguments; returns only by throwing InputError.
int hand_over(const char* command, const Args& args);

}  // namespace plumb::cli
