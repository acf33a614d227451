// The bandwidth `auto`: the one under which the votes of each item are best predicted from those of
// the others.
#pragma once

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/kde_bandwidth.hpp"

namespace plumb {

/// Squared error (y - m)^2 of a vote y of item i that is predicted by the votes of all other items,
///   m = (sum_j w_j y_j k(p_i; p_j) + a y) / (sum_j w_j k(p_i; p_j) + a),   k(x; x) = 1,
/// y being the mean of all votes and a a tenth of a vote: an item that stands alone is predicted to be
/// average, so that one item rules out no h. Items at 0 or 1 predict but are not predicted: their own
/// estimate does not depend on h. Votes are counted in bins of a seventh to a quarter of the kernel's width,
/// so that a search costs one pass over the column, whatever its length. Of the items of one bin with as
/// many votes and hits each leaves out the mean weight. Same bits for any order and number of threads.
struct VoteErrors {
  double by_vote = 0;  ///< mean over votes
  double by_p = 0;     ///< mean over those tenths of [0, 1] that have votes of the means of each
};
/// NaN when there is nothing to predict; h >= 1e-4.
[[nodiscard]] VoteErrors vote_errors(const ForecastsView& f, double bandwidth, int threads = 0);

/// argmin over h in [1e-4, 1]. A mean over votes needs a small error where the votes are; a curve over all p
/// needs a small error everywhere, or it is ragged where votes are few. Every second step of a scan of
/// 10^(1/6), the neighbours of the best, a parabola, rounded to 10^(1/24), so that columns share plans. Of
/// bandwidths that predict equally well the largest is taken.
struct VoteBandwidths {
  Bandwidth error;  ///< by_vote: for calibration errors
  Bandwidth curve;  ///< by_p: for the line
};
[[nodiscard]] VoteBandwidths vote_bandwidths(const ForecastsView& f, int threads = 0);

}  // namespace plumb
