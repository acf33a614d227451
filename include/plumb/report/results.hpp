// The results of commands other than evaluate, as every front end gives them. The argv, the inputs and
// what was noticed while reading them are the front end's.
#pragma once

#include <string>
#include <vector>

#include "plumb/data/annotations.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/evaluate/stability.hpp"
#include "plumb/report/uncertainty.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// Task, number of items and classes of the evaluated items.
void set_task(Result& result, const Items& items);

/// `items`: those of a model, `o` the options of the comparison.
[[nodiscard]] Result compare_result(const Comparison& c, const Items& items, const EvaluateOptions& o);

/// `single`: the one label in the caller's words, "majority" or "rater:ann".
[[nodiscard]] Result stability_result(const Stability& s, const Items& items, const StabilityOptions& o,
                                      const std::string& single);

/// `items`: null when a histogram was scored. `pictures` as suspects_section() takes them.
[[nodiscard]] Result uncertainty_result(const UncertaintyResult& r, const UncertaintyOptions& o,
                                        const Items* items, const ItemNames& names,
                                        const std::vector<std::string>& pictures = {});

/// Section "annotations": what was joined and what was left over.
[[nodiscard]] Tree annotations_section(const JoinCounts& counts, Duplicates duplicates);

/// The number given, or the rule that chooses it.
[[nodiscard]] Value bandwidth_setting(const EvaluateOptions& options, const std::string& for_what = "");

}  // namespace plumb
