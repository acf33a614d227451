// The mergeable state of an evaluation, assembled from passes that are made anyway.
#pragma once

#include "evaluate/stream.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb::detail {

/// Votes and items that a state can count: 7e13. What is read from it stays in memory: a forecast takes a row
/// for every 2^30 votes.
inline constexpr std::uint64_t kMostStateVotes = std::uint64_t{1} << 46;

/// Whether a state that was read has sums that data can have.
[[nodiscard]] bool consistent(const EvaluateState& state);

/// The options that a merge must agree on; no sums yet. InputError for what has no mergeable state.
[[nodiscard]] EvaluateState begin_state(const Items& items, const EvaluateOptions& options);
/// Adds the sums over the majority labels; with labels alone those of the votes.
void add_consensus(const Items& items, const StreamSums& votes, const EvaluateOptions& o, Progress& progress,
                   EvaluateState& state);
/// Adds the sums over votes, the ladder of the event if votes have no weights, and with a bandwidth given its
/// kernel sums.
void finish_state(const ForecastPass& event, bool weighted, const StreamSums& votes, EvaluateState& state);

}  // namespace plumb::detail
