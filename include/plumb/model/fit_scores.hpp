// What a fit changed, measured on the fitting data. Such scores are optimistic, and every output says so.
#pragma once

#include <vector>

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/result.hpp"

namespace plumb {

struct FitResults {
  Result before, after;
};

/// nll and ece before and after the new step; of alpha the loss and calibration error of disagreement.
[[nodiscard]] std::vector<BeforeAfter> fit_scores(const FittedModel& fitted, const FitOptions& options);
/// Whole evaluations with `sample_items` rows each; the second has the league of "auto" as a section.
[[nodiscard]] FitResults fit_results(const FittedModel& fitted, const FitOptions& options,
                                     int sample_items = 0);

/// Whether variances before and after can be compared:
/// not those of stochastic passes, and conformal models have none.
[[nodiscard]] bool has_fit_scores(const CalibrationModel& model, const RegressionItems& items);
/// nll, zms, uce and coverage_90 before and after; none where they cannot be compared.
[[nodiscard]] std::vector<BeforeAfter> fit_scores(const CalibrationModel& model, const RegressionItems& items,
                                                  const RegressionFitOptions& options);
[[nodiscard]] FitResults fit_results(const CalibrationModel& model, const RegressionItems& items,
                                     const RegressionFitOptions& options);

}  // namespace plumb
