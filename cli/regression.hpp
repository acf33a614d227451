// `plumb evaluate` and `plumb demo` of regressions.
#pragma once

#include "shell/flags.hpp"

namespace plumb::cli {

/// All arguments after "evaluate"; taken when speaks_of_regression() says so.
int evaluate_regression_command(const Args& args);
/// The arguments after "demo regression".
int demo_regression_command(const Args& args);

}  // namespace plumb::cli
