// Whether parts of a state that was read from a file can be what Plumb wrote: bytes with a right checksum may
// still be anything.
#pragma once

#include "plumb/evaluate/state.hpp"

namespace plumb::detail {

/// The drawn column stands on the forecasts of the ladder, and no replicate has more than can be drawn.
[[nodiscard]] bool column_fits(const EvaluateState& state, const StateReplicates& replicates);

/// Votes taken together, and ordered classes.
[[nodiscard]] bool votes_fit(const EvaluateState& state);

}  // namespace plumb::detail
