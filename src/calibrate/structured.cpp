// Structured scaling: a full map shrunk towards temperature scaling, more strongly the more there is to fit.
#include <fmt/format.h>

#include <cmath>

#include "calibrate/linear_fit.hpp"
#include "calibrate/linear_map.hpp"
#include "calibrate/temperature.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

// softmax((I + diag v + M) u + b), u = log softmax(logits / T), with K/n (sum b^2 + sum v^2) + K (K - 1)/n
// sum M^2; n is the weight of all votes, so that counts are worth their single labels.
Step fit_structured(const Items& items, const FitOptions& options, bool full) {
  const detail::Tally tally = detail::tally(items, options.threads);
  const detail::TemperatureFit first = detail::fit_temperature(items, tally, options.threads);
  const detail::FitData data =
      detail::load_fit_data(items, tally, detail::ScoreKind::log_probabilities, first.T, options.threads);
  const auto classes = static_cast<std::size_t>(items.classes());
  const auto k = static_cast<double>(classes);
  const double ridge = k / tally.mass;
  detail::LinearFit fit =
      detail::fit_linear(items, tally, data, full, {ridge, ridge * (k - 1), ridge}, options.threads);
  std::vector<double> v(classes);
  for (std::size_t i = 0; i < classes; ++i) {
    double& on = fit.w[full ? i * (classes + 1) : i];
    v[i] = on - 1;
    on = 0;
  }
  Step step;
  step.method = full ? "structured-matrix" : "structured-vector";
  step.put("T", first.T);
  step.put("v", std::move(v));
  if (full) step.put("M", {items.classes(), items.classes()}, std::move(fit.w));
  step.put("b", std::move(fit.b));
  step.fit = std::move(fit.report);
  step.fit.options.emplace_back("ridge_b", ridge);
  step.fit.options.emplace_back("ridge_v", ridge);
  if (full) step.fit.options.emplace_back("ridge_m", ridge * (k - 1));
  step.fit.converged = step.fit.converged && first.converged;
  if (!first.warning.empty()) step.fit.warnings.push_back(first.warning);
  return step;
}

}  // namespace

Step fit_structured_vector(const Items& items, const FitOptions& options) {
  return fit_structured(items, options, false);
}
Step fit_structured_matrix(const Items& items, const FitOptions& options) {
  return fit_structured(items, options, true);
}

detail::MapPtr detail::map_structured(const Step& step, int classes) {
  const double t = scalar_parameter(step, "T");
  if (!(t > 0))
    throw InputError(
        fmt::format("the model's {} step has T = {}; it must be positive", step.method, show(t)));
  const auto v = parameter(step, "v", {classes});
  const auto b = parameter(step, "b", {classes});
  LinearMap map{classes, {}, {b.begin(), b.end()}, t};
  const auto k = static_cast<std::size_t>(classes);
  if (step.method == "structured-vector") {
    for (const double x : v) map.w.push_back(1 + x);
  } else {
    const auto m = parameter(step, "M", {classes, classes});
    map.w.assign(m.begin(), m.end());
    for (std::size_t i = 0; i < k; ++i) map.w[i * (k + 1)] += 1 + v[i];
  }
  return make_linear_map(std::move(map));
}

}  // namespace plumb
