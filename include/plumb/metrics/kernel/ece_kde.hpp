// Kernel calibration error of a column of forecasts (Popordanoska et al. 2022), in linear time.
#pragma once

#include <cstdint>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/kernel/beta_plan.hpp"
#include "plumb/metrics/kernel/forecast_pass.hpp"
#include "plumb/metrics/kernel/leave_out.hpp"

namespace plumb {

struct KdeErrors {
  Estimate ece_kde;     ///< mean over votes of |E[y | p_i] - p_i|
  Estimate ece_kde_l2;  ///< root mean square
  double bandwidth = 0;
  std::int64_t direct = 0;  ///< distinct p that were summed directly, being isolated
};

/// E[y | p_i] by the Beta kernel from all votes but one (that whose error it is), or from all other items. A
/// vote of weight w is left out with its whole weight, so that copies drawn by a resample leave together.
/// Votes of an item whose hits are not whole (sign-flip null) share the hits evenly. Absent when no vote is
/// left to estimate from. A target at 0 or 1 takes the limit: the mean of the votes nearest to that end.
[[nodiscard]] KdeErrors ece_kde(const ForecastsView& f, double bandwidth, LeaveOut leave_out = LeaveOut::vote,
                                int threads = 0);
/// With a plan shared by many columns or replicates.
[[nodiscard]] KdeErrors ece_kde(const ForecastsView& f, const BetaPlan& plan,
                                LeaveOut leave_out = LeaveOut::vote, int threads = 0);
/// For columns that are not in memory: two passes, and two more when some p is isolated.
[[nodiscard]] KdeErrors ece_kde(const ForecastPass& pass, const BetaPlan& plan,
                                LeaveOut leave_out = LeaveOut::vote);

}  // namespace plumb
