// From the replicates of a state to intervals, p-values and the verdict.
#pragma once

#include "evaluate/intervals.hpp"
#include "evaluate/selection.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb::detail {

/// What each replicate keeps of the streaming products.
[[nodiscard]] ProductSet replicate_products(int classes);
/// Those of the null: with signs only residuals of the event mean something.
[[nodiscard]] ProductSet null_products(bool signs, ProductSet boot);

/// Results of the selected metrics with intervals and p-values around `scores`, and the verdict; where there
/// is none, the reason. Adds settings and notes.
[[nodiscard]] MetricResults replicate_results(const EvaluateState& state, const Selection& selection,
                                              const Scores& scores, EvaluateOptions options, Result& result);

}  // namespace plumb::detail
