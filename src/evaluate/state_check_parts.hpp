// Whether parts of a state that was read can be what Plumb wrote (state_check.cpp).
#pragma once

#include <cmath>

#include "evaluate/state_parts.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb::detail {

template <class... Counts>
[[nodiscard]] bool countable(const Counts&... counts) {
  return (... && (counts <= kMostStateVotes));
}

/// Of a sum over parts of which none exceeds `times` its weight.
[[nodiscard]] inline bool within(const ExactSum& sum, const ExactSum& weight, double times) {
  constexpr double kRounding = 1 + 1e-9;
  return std::abs(sum.value()) <= times * weight.value() * kRounding;
}

/// Small enough for products of two.
[[nodiscard]] inline bool possible_weight(const ExactSum& sum) {
  return sum.value() >= 0 && sum.value() <= 0x1p60;
}

[[nodiscard]] bool possible_bin(const Bin& bin);
[[nodiscard]] bool possible_share(const ShareBin& bin);

/// The drawn column stands on the forecasts of the ladder, and no replicate has more than can be drawn.
[[nodiscard]] bool column_fits(const EvaluateState& state, const StateReplicates& replicates);

/// Votes taken together, and ordered classes.
[[nodiscard]] bool votes_fit(const EvaluateState& state);

}  // namespace plumb::detail
