// The sums of a case of two classes, by the pattern of its raters' votes.
#pragma once

#include "evaluate/case_split.hpp"

namespace plumb::detail {

/// Whether the raters are few enough, and nothing is wanted that the patterns do not give.
[[nodiscard]] bool fits_patterns(const Items& items, const EvaluateOptions& options);
/// As split_sums(). Log-losses that are not needed are 0.
[[nodiscard]] SplitSums pattern_sums(const Items& items, ProductSet products, const EvaluateOptions& options,
                                     const SplitExtras& extras);

}  // namespace plumb::detail
