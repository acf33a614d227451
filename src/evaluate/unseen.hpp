// The effect of an outcome that did not occur: resampling shows only outcomes that did.
#pragma once

#include <optional>
#include <string_view>

namespace plumb::detail {

/// The largest share of an outcome that n units without it leave possible, one-sided (exact for n of any
/// size up to Poisson's approximation).
[[nodiscard]] double unseen_share(double n, double level);

/// The loss of `key` ("nll", "brier") had the other outcome come, if all items have the loss `value`. Of
/// several classes the other one is as bad as can be (brier) or has all the rest (nll). Absent when infinite.
[[nodiscard]] std::optional<double> other_loss(std::string_view key, double value, bool binary);

}  // namespace plumb::detail
