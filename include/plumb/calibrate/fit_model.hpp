// From items to a whole model: what a front end calls. plumb/model/model_file.hpp saves and loads it,
// plumb/calibrate/apply_model.hpp and calibrated() apply it.
#pragma once

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/model.hpp"

namespace plumb {

struct FittedModel {
  CalibrationModel model;         ///< fitted_on is left to the caller, who knows the files
  std::vector<LeagueRow> league;  ///< of "auto", best first; else empty
  Items items;                    ///< what the new step was fitted on: the items as `after` gives them
};

/// A metric before and after the new step.
struct BeforeAfter {
  std::string key;
  std::optional<double> before, after;
};

/// Fits a method of calibrators() and makes a model of it. With `after`, the new step comes behind the steps
/// of that model and is fitted on the probabilities that it gives. InputError as check_fit(); also when
/// `after` does not fit the predictions, or ends with alpha.
[[nodiscard]] FittedModel fit_model(std::string_view method, const Items& items,
                                    const FitOptions& options = {}, const CalibrationModel* after = nullptr);

}  // namespace plumb
