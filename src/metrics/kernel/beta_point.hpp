// A place on [0, 1] with what the Beta kernel needs of it, for one bandwidth h = 1/n.
#pragma once

#include "plumb/metrics/kernel/beta_kernel.hpp"

namespace plumb::detail {

// Sources farther than this many e-folds below the peak are left out;
// their mass times exp(-60) goes into the error bound.
inline constexpr double kFarthest = -60.0;
inline constexpr double kFarShare = 1e-26;  // exp(-60)

struct BetaPoint {
  double low, high;  // p and 1 - p, both to full relative precision
  double log_low, log_high;
  double rest;  // stirling_rest(n p) + stirling_rest(n (1 - p))
};

[[nodiscard]] BetaPoint beta_point(EndDistance e, double n);
/// log (k(x; q) / k(x; x)), 0 < x < 1.
[[nodiscard]] double log_ratio(const BetaPoint& x, const BetaPoint& q, double n);

}  // namespace plumb::detail
