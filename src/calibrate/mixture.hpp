// Weights of a mixture of three forecasts by log-loss, on the simplex.
#pragma once

#include <array>

#include "calibrate/minimise.hpp"

namespace plumb::detail {

/// What the three forecasts gave a class that was voted for, and the share of those votes.
struct MixtureEntry {
  std::array<double, 3> q;
  double share;
};

struct MixtureFit {
  std::array<double, 3> w{};
  Minimum minimum;  ///< gradient_norm: how far the conditions of optimality on the simplex are from holding
};

/// Shares sum to 1. Newton on the face in use; a weight that reaches 0 leaves it and comes back when that
/// helps. Exact sums: the order of the entries does not matter.
[[nodiscard]] MixtureFit fit_mixture(std::span<const MixtureEntry> entries, std::array<double, 3> start,
                                     int threads);

}  // namespace plumb::detail
