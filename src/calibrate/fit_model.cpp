#include "plumb/calibrate/fit_model.hpp"

#include "calibrate/held_out.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"

namespace plumb {

FittedModel fit_model(std::string_view method, const Items& items, const FitOptions& options,
                      const CalibrationModel* after) {
  check_fit_options(method, options);
  FittedModel out;
  CalibrationModel& model = out.model;
  out.items = items;
  if (after != nullptr) {
    check_fits(*after, items.predictions);
    if (after->steps.back().method == "alpha")
      throw InputError(
          after->name +
          " ends with alpha, which leaves the probabilities as they are; fit the other method first");
    model = *after;
    out.items = calibrated(items, *after, options.threads);
  } else {
    model.input = items.predictions.scale() == Scale::logit ? "logits" : "probabilities";
  }
  model.name = CalibrationModel{}.name;
  model.task = items.binary() ? "binary" : "multiclass";
  model.classes = items.classes();
  if (!items.class_names.empty()) model.class_names = items.class_names;
  model.version = version();
  if (method == "auto") {
    AutoChoice choice = fit_auto(out.items, options);
    out.league = std::move(choice.league);
    model.steps.push_back(std::move(choice.steps.front()));
  } else {
    model.steps.push_back(fit_calibrator(method, out.items, options).front());
    detail::check_held_out(*find_calibrator(method), out.items, options, model.steps.back());
  }
  if (logits_look_like_probabilities(items.predictions))
    model.steps.back().fit.warnings.emplace_back(kNoLogits);
  return out;
}

}  // namespace plumb
