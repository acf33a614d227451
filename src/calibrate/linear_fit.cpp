#include "calibrate/linear_fit.hpp"

#include <fmt/format.h>

#include <cmath>

namespace plumb::detail {

LinearFit fit_linear(const Items& items, const Tally& tally, const FitData& data, bool full, Ridge ridge,
                     int threads, FitReport report) {
  LinearSoftmax problem(data, full, ridge, threads);
  std::vector<double> x = problem.identity();
  const Minimum minimum = minimise(problem, x);
  const auto weights = x.end() - data.width;
  describe(tally, items, data.clipped, report);
  describe(minimum, report);
  return {{x.begin(), weights}, {weights, x.end()}, std::move(report)};
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

}  // namespace plumb::detail
