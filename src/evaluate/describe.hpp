// What was run: task, counts, the settings that move a number, notes, class-wise results.
#pragma once

#include "evaluate/selection.hpp"
#include "plumb/evaluate_state.hpp"
#include "plumb/result.hpp"

namespace plumb {

[[nodiscard]] Result describe_run(const Items& items, const EvaluateOptions& options, const Selection& selection,
                                  const StreamSums& sums);
/// The settings every run of these options shares, merged or not.
void add_settings(const EvaluateOptions& options, bool binary, bool logits, bool normalize, Result& result);
/// per_class values and reliability_class_k tables.
void add_class_results(const StreamSums& sums, const Selection& selection, Result& result);
/// Items left out, votes clipped.
void add_notes(const StreamSums& sums, std::int64_t items, Result& result);

}  // namespace plumb
