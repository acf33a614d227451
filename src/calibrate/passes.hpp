// Stochastic predictions meet a calibrator: it acts on each pass, and the prediction is the mean of what it
// gives (Mimori 2021, eq. 51).
#pragma once

#include "plumb/data/items.hpp"

namespace plumb::detail {

/// Pass `s` as a prediction of its own; nothing is copied.
[[nodiscard]] Predictions one_pass(const Predictions& predictions, int s);

/// What a calibrator that acts on each pass is fitted on: every pass of every item, with the item's votes and
/// weight. Passes of one item stay together in splits. Pass after pass, so that row s N + i is item i.
[[nodiscard]] Items every_pass(const Items& items);
/// The features of the items, once for each pass.
[[nodiscard]] Rows every_pass(const Rows& features, std::int64_t items, int passes);

}  // namespace plumb::detail
