// From items to a complete model: the entry point of front ends. plumb/model/model_file.hpp saves and loads
// it, plumb/calibrate/apply_model.hpp and calibrated() apply it.
#pragma once

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/model.hpp"

namespace plumb {

struct FittedModel {
  CalibrationModel model;         ///< fitted_on is set by the caller, who knows the files
  std::vector<LeagueRow> league;  ///< of "auto", best first; otherwise empty
  Items items;                    ///< what the new step was fitted on: the items with the output of `after`
};

/// A metric before and after the new step.
struct BeforeAfter {
  std::string key;
  std::optional<double> before, after;
};

/// Fits a method of calibrators() and makes a model of it. With `after`, the new step follows the steps of
/// that model and is fitted on its output. InputError as check_fit(); also when `after` does not fit the
/// predictions, or ends with alpha.
[[nodiscard]] FittedModel fit_model(std::string_view method, const Items& items,
                                    const FitOptions& options = {}, const CalibrationModel* after = nullptr);

}  // namespace plumb
