// Votes of known raters, with or without the predictions of a model.
#pragma once

#include "inputs.hpp"

namespace plumb::cli {

void add_rater_flags(Flags& flags, InputFlags& out);

/// Without predictions only the votes, groups, ids and class names of the items: the classes are those
/// that --classes names, or those of the votes; the items of --annotations are those of --ids, or all that
/// they name.
[[nodiscard]] Inputs load_rater_inputs(const InputFlags& flags, int threads);

}  // namespace plumb::cli
