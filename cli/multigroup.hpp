// `plumb calibrate fit --method multigroup`, and `apply` of such a model.
#pragma once

#include "plumb/calibrate/model.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

[[nodiscard]] bool is_multigroup_fit(const Args& args);
int fit_multigroup_command(const Args& args);
/// --by is among the arguments of `apply`.
[[nodiscard]] bool is_multigroup_apply(const Args& args);
int apply_multigroup_command(const Args& args);

}  // namespace plumb::cli
