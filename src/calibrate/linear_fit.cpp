#include "calibrate/linear_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb::detail {
namespace {

// The largest change of a score in the last step.
double largest_score_change(const FitData& data, bool full, const std::vector<double>& step) {
  const std::int64_t k = data.width;
  std::vector<double> size(k);
  for (std::int64_t i = 0; i < data.size; ++i)
    for (std::int64_t j = 0; j < k; ++j) size[j] = std::max(size[j], std::fabs(data.row(i)[j]));
  double most = 0;
  const std::int64_t weights = std::ssize(step) - k;
  for (std::int64_t p = 0; p < std::ssize(step); ++p)
    most = std::max(most, std::fabs(step[p]) * (p >= weights ? 1 : size[full ? p % k : p]));
  return most;
}

/// K^2 weights cost a product of N K^2 steps thousands of times over: with few votes that is hours for a map
/// that the penalty decides.
void check_votes(std::int64_t parameters, std::int64_t classes, std::int64_t votes) {
  constexpr std::int64_t kMostClasses = 256;
  if (classes <= kMostClasses || votes >= parameters) return;
  throw InputError(fmt::format(
      "{} parameters of {} classes cannot be fitted to {}: above {} classes a full linear map takes at least one vote per parameter; use ⟦method⟧ temperature, vector or structured-vector",
      parameters, classes, counted(votes, "vote"), kMostClasses));
}

}  // namespace

LinearFit fit_linear(const Items& items, const Tally& tally, const FitData& data, bool full, Ridge ridge,
                     const FitOptions& options, FitReport report) {
  LinearSoftmax problem(data, full, ridge, options.threads);
  if (full) check_votes(problem.parameters(), items.classes(), tally.votes);
  std::vector<double> x = problem.identity();
  const Minimum minimum = minimise(problem, x);
  const auto weights = x.end() - data.width;
  describe(tally, items, data.clipped, report);
  describe(minimum, report);
  // A ridge on every number keeps the optimum finite, and a class without votes in sight.
  if (!prior_of(options, tally).any() && ridge.diagonal == 0) {
    if (lacks_class(tally))
      report.no_optimum = "A class has no vote";
    else if (!minimum.last_step.empty() && largest_score_change(data, full, minimum.last_step) > kRunaway)
      report.no_optimum = separation();
  }
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
