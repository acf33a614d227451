#include "plumb/calibrate/regression/fit.hpp"

#include <algorithm>

#include "calibrate/regression/rows.hpp"

namespace plumb {
namespace {

// The options of which a method uses some, when a caller has given them, and whose they are, in words.
struct OptionRow {
  std::string_view name;
  bool (*given)(const RegressionFitOptions&);
  std::string_view methods;
};
constexpr OptionRow kOptions[] = {
    {"per_output", [](const RegressionFitOptions& o) { return o.per_output; },
     "sigma, sigma-laplace and sigma-aleatoric"},
    {"hidden", [](const RegressionFitOptions& o) { return o.hidden.has_value(); }, "aux"},
    {"hold_out", [](const RegressionFitOptions& o) { return o.hold_out.has_value(); }, "aux"},
    {"score", [](const RegressionFitOptions& o) { return o.score.has_value(); }, "conformal"},
    {"levels", [](const RegressionFitOptions& o) { return !o.levels.empty(); }, "conformal"},
};

const RegressionCalibratorRow& known_calibrator(std::string_view method) {
  if (const RegressionCalibratorRow* row = find_regression_calibrator(method)) return *row;
  std::vector<std::string> known;
  for (const auto& row : regression_calibrators()) known.emplace_back(row.method);
  throw InputError("⟦method⟧: there is no regression calibrator \"" + std::string(method) + "\"" +
                   did_you_mean(method, known) + "; \"plumb list\" shows them all");
}

}  // namespace

bool RegressionCalibratorRow::uses(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

std::span<const RegressionCalibratorRow> regression_calibrators() {
  using namespace detail;
  static const RegressionCalibratorRow rows[] = {kSigma, kSigmaLaplace, kSigmaAleatoric,   kSigmaParts,
                                                 kAux,   kAuxAleatoric, kIsotonicQuantile, kConformal};
  return rows;
}

const RegressionCalibratorRow* find_regression_calibrator(std::string_view method) {
  for (const auto& row : regression_calibrators())
    if (row.method == method) return &row;
  return nullptr;
}

void check_fit_options(std::string_view method, const RegressionFitOptions& options) {
  const RegressionCalibratorRow& row = known_calibrator(method);
  for (const OptionRow& option : kOptions)
    if (option.given(options) && !row.uses(option.name))
      throw InputError(opt(option.name) + " is for " + std::string(option.methods) + ", not for " +
                       std::string(method));
  check_threads(options.threads);
}

Step fit_regression_calibrator(std::string_view method, const RegressionItems& items,
                               const RegressionFitOptions& options) {
  check_fit_options(method, options);
  check_regression(items);
  const RegressionCalibratorRow& row = known_calibrator(method);
  if (items.size() == 0) throw InputError("there is nothing to fit on: no items");
  if (row.parts && !items.has_parts())
    throw InputError("⟦method⟧ " + std::string(method) +
                     " needs the variance in its parts; give ⟦aleatoric⟧ and ⟦epistemic⟧, or ⟦mean_samples⟧");
  return row.fit(items, options);
}

CalibrationModel fit_regression_model(std::string_view method, const RegressionItems& items,
                                      const RegressionFitOptions& options) {
  CalibrationModel model;
  model.task = "regression";
  model.input = items.has_parts() ? "parts" : "variance";
  model.version = version();
  model.steps.push_back(fit_regression_calibrator(method, items, options));
  model.steps.back().fit.options.emplace_back("clip", options.clip);
  model.classes = options.per_output ? items.outputs() : 0;
  detail::check_held_out(known_calibrator(method), items, options, model.steps.back());
  return model;
}

}  // namespace plumb
