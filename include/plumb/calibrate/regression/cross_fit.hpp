// Out-of-fold calibrated variances, and the choice of a method by them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/regression/fit.hpp"

namespace plumb {

inline constexpr int kRegressionFolds = 5;

/// N x d variances, each from a fit on the other folds; splits are by group if given, otherwise by item.
/// InputError: a method without variances (conformal), stochastic passes, fewer than 2 folds or more
/// than units.
[[nodiscard]] std::vector<double> cross_fit_variances(std::string_view method, const RegressionItems& items,
                                                      const RegressionFitOptions& options, int folds);

/// A method that `auto` tried: how much Gaussian log-loss per item it gained on held-out folds.
struct VarianceCandidate {
  std::string method;
  std::optional<double> gain, error;  ///< absent where it could not be fitted
  std::string why = {};
};
struct VarianceChoice {
  std::string method;  ///< "none": the variances are best left alone
  std::vector<VarianceCandidate> league;
};
/// From the simplest to the most flexible: a method replaces the one before if it gains more than a standard
/// error (over units) against it.
[[nodiscard]] VarianceChoice choose_variance_method(const RegressionItems& items,
                                                    const RegressionFitOptions& options,
                                                    int folds = kRegressionFolds);

/// The chosen method fitted on all items. "none" is a factor of 1. The league is in the options of the step.
[[nodiscard]] CalibrationModel fit_regression_auto(const RegressionItems& items,
                                                   const RegressionFitOptions& options,
                                                   int folds = kRegressionFolds);

}  // namespace plumb
