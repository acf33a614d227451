// Calibrators of predicted variances: one function a method, found by its name in one table. The mean is
// never touched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/step.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {

enum class ConformalScore {
  normalized,  ///< |y - mean| / sigma: widths follow the predicted spread
  absolute,    ///< |y - mean|: one width for all
  one_sided,   ///< (y - mean) / sigma, each end by itself: a bias moves the interval
};

/// Defaults live here alone. What a method does not use it ignores; the command line refuses flags that do
/// nothing.
struct RegressionFitOptions {
  bool per_output = false;  ///< sigma, sigma-laplace, sigma-aleatoric: one factor for each output
  int hidden = 16;          ///< aux: units of the hidden layer
  double hold_out = 0.2;    ///< aux: share of the units kept for early stopping; 0: none
  ConformalScore score = ConformalScore::normalized;
  std::vector<double> levels = {};  ///< conformal: kept besides the usual ones
  double clip = 0;                  ///< variances below are raised to it
  std::uint64_t seed = 0;
  int threads = 0;  ///< never moves a bit
};

struct RegressionCalibratorRow {
  std::string_view method;
  bool parts;      ///< needs the variance in its parts
  bool variances;  ///< gives variances; otherwise only intervals
  Step (*fit)(const RegressionItems&, const RegressionFitOptions&);
  std::string_view line;
};

[[nodiscard]] std::span<const RegressionCalibratorRow> regression_calibrators();
[[nodiscard]] const RegressionCalibratorRow* find_regression_calibrator(std::string_view method);

/// Checks the items and fits. InputError for an unknown method, a method that needs the parts, a variance of
/// 0.
[[nodiscard]] Step fit_regression_calibrator(std::string_view method, const RegressionItems& items,
                                             const RegressionFitOptions& options);

// One per method; src/calibrate/regression/.
[[nodiscard]] Step fit_sigma(const RegressionItems& items, const RegressionFitOptions& options);
[[nodiscard]] Step fit_sigma_laplace(const RegressionItems& items, const RegressionFitOptions& options);
[[nodiscard]] Step fit_sigma_aleatoric(const RegressionItems& items, const RegressionFitOptions& options);
[[nodiscard]] Step fit_sigma_parts(const RegressionItems& items, const RegressionFitOptions& options);
[[nodiscard]] Step fit_aux(const RegressionItems& items, const RegressionFitOptions& options);
[[nodiscard]] Step fit_aux_aleatoric(const RegressionItems& items, const RegressionFitOptions& options);
[[nodiscard]] Step fit_isotonic_quantile(const RegressionItems& items, const RegressionFitOptions& options);
[[nodiscard]] Step fit_conformal(const RegressionItems& items, const RegressionFitOptions& options);

}  // namespace plumb
