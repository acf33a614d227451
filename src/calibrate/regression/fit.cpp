#include "plumb/calibrate/regression/fit.hpp"

#include <array>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr std::array kRows{
    RegressionCalibratorRow{"sigma", false, true, fit_sigma,
                            "one factor on the standard deviation, in closed form (Laves)"},
    RegressionCalibratorRow{"sigma-laplace", false, true, fit_sigma_laplace,
                            "the same under a Laplace likelihood"},
    RegressionCalibratorRow{"sigma-aleatoric", true, true, fit_sigma_aleatoric,
                            "one factor on the aleatoric part alone (Levi)"},
    RegressionCalibratorRow{"sigma-parts", true, true, fit_sigma_parts,
                            "one factor for each part, by maximum likelihood"},
    RegressionCalibratorRow{"aux", false, true, fit_aux, "log variance through a 1-16-1 ReLU network"},
    RegressionCalibratorRow{"aux-aleatoric", true, true, fit_aux_aleatoric,
                            "the same on the aleatoric part alone"},
    RegressionCalibratorRow{"isotonic-quantile", false, true, fit_isotonic_quantile,
                            "quantiles of the z-scores (Kuleshov); mends a bias"},
    RegressionCalibratorRow{"conformal", false, false, fit_conformal,
                            "split conformal intervals with finite-sample coverage"},
};

}  // namespace

std::span<const RegressionCalibratorRow> regression_calibrators() { return kRows; }

const RegressionCalibratorRow* find_regression_calibrator(std::string_view method) {
  for (const auto& row : kRows)
    if (row.method == method) return &row;
  return nullptr;
}

Step fit_regression_calibrator(std::string_view method, const RegressionItems& items,
                               const RegressionFitOptions& options) {
  const RegressionCalibratorRow* row = find_regression_calibrator(method);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const auto& r : kRows) known.emplace_back(r.method);
    throw InputError("--method: there is no regression calibrator \"" + std::string(method) + "\"" +
                     did_you_mean(method, known) + "; \"plumb list\" shows them all");
  }
  check_regression(items);
  check_threads(options.threads);
  if (items.size() == 0) throw InputError("there is nothing to fit on: no items");
  if (row->parts && !items.has_parts())
    throw InputError("--method " + std::string(method) +
                     " needs the variance in its parts; give --aleatoric and --epistemic, or --mean-samples");
  return row->fit(items, options);
}

}  // namespace plumb
