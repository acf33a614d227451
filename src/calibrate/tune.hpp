// Penalty strengths by held-out log-loss.
#pragma once

#include <vector>

#include "plumb/calibrate/fit.hpp"

namespace plumb::detail {

/// Sum over votes of w times -log of the calibrated probability, and the sum of w: probabilities below the
/// smallest normal number count as that number.
struct LogLoss {
  double sum = 0, mass = 0;
  [[nodiscard]] double mean() const { return sum / mass; }
};
[[nodiscard]] LogLoss log_loss(const Items& items, const Step& step, int threads);

/// Fits each of `grid` on the rest and scores it on what is held out (fold 0 of 5, or every fold of
/// options.folds), then fits the best on all. Ties: the first.
[[nodiscard]] Step tune(const Items& items, const FitOptions& options, const std::vector<FitOptions>& grid,
                        FitFunction fit);

/// The papers' grid (Mimori 2021, appendix F): 0.1, 1, 10 for each strength that is not given.
[[nodiscard]] std::vector<FitOptions> strength_grid(const FitOptions& options, bool with_w);

}  // namespace plumb::detail
