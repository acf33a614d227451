// Temperature scaling as other methods use it: their first step.
#pragma once

#include "calibrate/ballots.hpp"
#include "plumb/calibrate/fit.hpp"

namespace plumb::detail {

/// T stays inside: what wants to go further (classes that the scores separate, scores that say nothing) ends
/// there.
inline constexpr double kSmallestT = 1e-4;
inline constexpr double kLargestT = 1e4;

struct TemperatureFit {
  double T = 1;
  double objective = 0;  ///< log-loss per vote
  double gradient = 0;   ///< in log(1/T)
  int passes = 0;
  bool converged = true;
  std::int64_t clipped = 0;
  std::string warning;  ///< empty, or why T is at its bound
};
[[nodiscard]] TemperatureFit fit_temperature(const Items& items, const Tally& tally, int threads);

}  // namespace plumb::detail
