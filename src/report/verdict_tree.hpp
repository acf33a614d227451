// The verdict as it stands in JSON: of an evaluation, and of each model of a comparison.
#pragma once

#include "plumb/result.hpp"

namespace plumb::detail {

/// {verdict, why, certain, tolerance, estimate, low, high, p_value, needed, unit}; without a verdict null and
/// the reason.
[[nodiscard]] Tree verdict_tree(const Verdict& verdict);

}  // namespace plumb::detail
