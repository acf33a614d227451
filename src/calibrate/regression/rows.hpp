// The rows of the methods, each defined in the method's own file beside its fit and map;
// regression_calibrators() lists them.
#pragma once

#include <string>
#include <vector>

#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/calibrate/regression/map.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {

extern const RegressionCalibratorRow kSigma, kSigmaLaplace, kSigmaAleatoric, kSigmaParts, kAux, kAuxAleatoric,
    kIsotonicQuantile, kConformal;

// For readable rows: what a method calibrates, and what it gives.
inline constexpr bool kOnTotal = false, kOnParts = true, kIntervalsOnly = false;

using VarianceMapPtr = std::unique_ptr<VarianceMap>;

/// "the model file's sigma step <what>".
[[noreturn]] void refuse_step(const Step& step, const std::string& what);
[[nodiscard]] inline std::vector<double> copied(std::span<const double> x) { return {x.begin(), x.end()}; }
/// The levels of a step, which ascend.
[[nodiscard]] std::vector<double> levels_of(const Step& step);
/// Fits again on five folds and warns in the step's report when nll or uce of the calibrated variances is
/// worse than of the plain ones; or says why this was not tried.
void check_held_out(const RegressionCalibratorRow& row, const RegressionItems& items,
                    const RegressionFitOptions& options, Step& step);
/// InputError unless 0 < level < 1.
void check_interval_level(double level);

}  // namespace plumb::detail
