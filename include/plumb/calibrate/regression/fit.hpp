// Fitting a calibrator of predicted variances: the options, and the table of methods, one row per method. The
// mean is never changed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {

class VarianceMap;

enum class ConformalScore {
  normalized,  ///< |y - mean| / sigma: widths follow the predicted spread
  absolute,    ///< |y - mean|: one width for all
  one_sided,   ///< (y - mean) / sigma, each end by itself: a bias moves the interval
};

inline constexpr std::array<std::string_view, 3> kConformalScores{"normalized", "absolute", "one-sided"};

inline constexpr std::int64_t kAuxHidden = 16;
inline constexpr double kAuxHoldOut = 0.2;

/// An option that a method does not use is refused, not ignored.
struct RegressionFitOptions {
  bool per_output = false;  ///< sigma, sigma-laplace, sigma-aleatoric: one factor for each output
  std::optional<std::int64_t> hidden = {};   ///< aux: units of the hidden layer; absent: kAuxHidden
  std::optional<double> hold_out = {};       ///< aux: share of the units kept for early stopping, 0 for none;
                                             ///< absent: kAuxHoldOut
  std::optional<ConformalScore> score = {};  ///< conformal; absent: normalized
  std::vector<double> levels = {};           ///< conformal: kept besides the usual ones
  double clip = 0;                           ///< variances below are raised to it
  std::uint64_t seed = 0;
  int threads = 0;  ///< does not affect the results
};

/// Everything about a method, defined in its own file in src/calibrate/regression/.
struct RegressionCalibratorRow {
  std::string_view method;
  bool parts = false;                            ///< needs the variance in its parts
  std::array<std::string_view, 2> options = {};  ///< options that it uses besides the last three
  Step (*fit)(const RegressionItems&, const RegressionFitOptions&) = nullptr;
  std::unique_ptr<VarianceMap> (*map)(const Step&, int outputs) = nullptr;
  std::string_view line = {};
  bool variances = true;  ///< gives variances; otherwise only intervals

  [[nodiscard]] bool uses(std::string_view option) const;
};

[[nodiscard]] std::span<const RegressionCalibratorRow> regression_calibrators();
[[nodiscard]] const RegressionCalibratorRow* find_regression_calibrator(std::string_view method);

/// InputError for an unknown method and an option that it does not use. Front ends may call this before they
/// read files.
void check_fit_options(std::string_view method, const RegressionFitOptions& options);

/// Checks options and items and fits. InputError also for a method that needs the parts, a variance of 0.
[[nodiscard]] Step fit_regression_calibrator(std::string_view method, const RegressionItems& items,
                                             const RegressionFitOptions& options);

/// The same as a whole model, which carries the clip; fitted_on is set by the caller, who knows the files.
[[nodiscard]] CalibrationModel fit_regression_model(std::string_view method, const RegressionItems& items,
                                                    const RegressionFitOptions& options = {});

}  // namespace plumb
