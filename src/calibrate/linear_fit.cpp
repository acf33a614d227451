#include "calibrate/linear_fit.hpp"

#include <fmt/format.h>

#include <cmath>

#include "plumb/data/check.hpp"

namespace plumb::detail {

LinearFit fit_linear(const Items& items, const Tally& tally, const FitData& data, bool full, Ridge ridge,
                     int threads) {
  LinearSoftmax problem(data, full, ridge, threads);
  std::vector<double> x = problem.identity();
  const Minimum minimum = minimise(problem, x);
  LinearFit fit;
  const auto weights = x.end() - data.width;
  fit.w.assign(x.begin(), weights);
  fit.b.assign(weights, x.end());
  describe(tally, items, data.clipped, fit.report);
  describe(minimum, fit.report);
  return fit;
}

void describe(const Minimum& minimum, FitReport& report) {
  report.objective = minimum.value;
  report.gradient_norm = minimum.gradient_norm;
  report.iterations = minimum.iterations;
  report.converged = minimum.converged;
  if (!minimum.converged)
    report.warnings.push_back(fmt::format(
        "The fit stopped after {} at a gradient of {}, above the tolerance of {}.",
        counted(minimum.iterations, "iteration"), show(minimum.gradient_norm), show(kGradientTolerance)));
}

double strength(const std::optional<double>& given, double fallback, std::string_view name,
                FitReport& report) {
  const double value = given.value_or(fallback);
  if (!(value >= 0) || !std::isfinite(value)) {
    throw InputError(fmt::format("{} is {}; the strength of a penalty must be 0 or more", name, show(value)));
  }
  report.options.emplace_back(std::string(name), value);
  return value;
}

void need_three_classes(const Items& items, std::string_view method, std::string_view instead) {
  if (!items.binary()) return;
  throw InputError(
      fmt::format("{} calibration needs three classes or more; use {} for two", method, instead));
}

void need_binary(const Items& items, std::string_view method, std::string_view instead) {
  if (items.binary()) return;
  throw InputError(fmt::format("{} calibration is for two classes and {} has {}; use {}", method,
                               items.predictions.sources().front().name(), items.classes(), instead));
}

}  // namespace plumb::detail
