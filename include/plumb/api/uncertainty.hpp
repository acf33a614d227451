// Evaluation of uncertainty measures; a short form of the core's function.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/api/data.hpp"
#include "plumb/uncertainty/uncertainty.hpp"

namespace plumb {

/// `own`: columns of your own to score besides the built-in measures, N numbers each by name; larger is less
/// certain. `ids` settle ties among suspects. Throws InputError.
[[nodiscard]] UncertaintyResult uncertainty(const Items& items, const UncertaintyOptions& options = {},
                                            const std::vector<std::pair<std::string, Data>>& own = {},
                                            const Names& ids = {});

}  // namespace plumb
