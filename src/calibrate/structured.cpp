// Structured scaling: a full map shrunk towards temperature scaling, more strongly the more parameters
// there are.
#include "calibrate/linear_fit.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/temperature.hpp"

namespace plumb::detail {
namespace {

// softmax((I + diag v + M) u + b), u = log softmax(logits / T), with K/n (sum b^2 + sum v^2) + K (K - 1)/n
// sum M^2; n is the weight of all votes, so that counts are worth their single labels.
Step fit_structured(const Items& items, const FitOptions& options, bool full) {
  const Tally votes = tally(items, options.threads);
  const TemperatureFit first = fit_temperature(items, votes, options);
  const FitData data = load_fit_data(items, votes, ScoreKind::log_probabilities, first.T, options);
  const std::int64_t classes = items.classes();
  const double k = items.classes();
  const double ridge = k / votes.mass;
  LinearFit fit = fit_linear(items, votes, data, full, {ridge, ridge * (k - 1), ridge}, options);
  std::vector<double> v(classes);
  for (std::int64_t i = 0; i < classes; ++i) {
    double& on = fit.w[full ? i * (classes + 1) : i];
    v[i] = on - 1;
    on = 0;
  }
  Step step{full ? "structured-matrix" : "structured-vector"};
  step.add_parameter("T", first.T);
  step.add_parameter("v", std::move(v));
  if (full) step.add_parameter("M", {classes, classes}, std::move(fit.w));
  step.add_parameter("b", std::move(fit.b));
  step.fit = std::move(fit.report);
  step.fit.options.emplace_back("ridge_b", ridge);
  step.fit.options.emplace_back("ridge_v", ridge);
  if (full) step.fit.options.emplace_back("ridge_m", ridge * (k - 1));
  step.fit.converged = step.fit.converged && first.converged;
  if (!first.warning.empty()) step.fit.warnings.push_back(first.warning);
  step.fit.no_optimum = first.no_optimum;
  return step;
}

Step fit_structured_vector(const Items& items, const FitOptions& options) {
  return fit_structured(items, options, false);
}
Step fit_structured_matrix(const Items& items, const FitOptions& options) {
  return fit_structured(items, options, true);
}

// 1 + v, or I + diag v + M.
std::vector<double> weights_of(const Step& step, std::int64_t k) {
  const auto v = parameter(step, "v", {k});
  std::vector<double> w;
  if (step.method == "structured-vector") {
    for (const double x : v) w.push_back(1 + x);
    return w;
  }
  const auto m = parameter(step, "M", {k, k});
  w.assign(m.begin(), m.end());
  for (std::int64_t i = 0; i < k; ++i) w[i * (k + 1)] += 1 + v[i];
  return w;
}

MapPtr map_structured(const Step& step, int classes) {
  const double t = positive_temperature(step);
  std::vector<double> w = weights_of(step, classes);
  const auto b = parameter(step, "b", {classes});
  return make_linear_map({classes, std::move(w), {b.begin(), b.end()}, t});
}

void onnx_structured(OnnxFlow& flow, const Step& step) {
  const int k = flow.classes();
  flow.want_log_probabilities(step.method, scalar_parameter(step, "T"));
  const auto b = parameter(step, "b", {k});
  const std::vector<double> w = weights_of(step, k);
  if (step.method == "structured-matrix") return flow.finish_product(w, b);
  const std::string u = flow.logits();
  flow.finish(flow.op("Add", flow.op("Mul", u, flow.row(w)), flow.row(b)));
}

}  // namespace

constinit const CalibratorRow kStructuredVector{
    "structured-vector",
    Tasks::any,
    Complexity::per_class,
    {"prior_votes"},
    fit_structured_vector,
    map_structured,
    onnx_structured,
    "temperature, then a factor and a shift for each class, shrunk towards none",
    1};

constinit const CalibratorRow kStructuredMatrix{"structured-matrix",
                                                Tasks::any,
                                                Complexity::per_pair,
                                                {"prior_votes"},
                                                fit_structured_matrix,
                                                map_structured,
                                                onnx_structured,
                                                "temperature, then a linear map, shrunk towards none",
                                                1};

}  // namespace plumb::detail
