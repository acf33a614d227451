#include "calibrate/linear_fit.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/tune.hpp"

namespace plumb::detail {
namespace {

// softmax(diag(v) u + b) with lambda_b / K sum b^2 (Mimori 2021, eq. 47).
Step fit_vector(const Items& items, const FitOptions& options) {
  if (options.tune) return tune(items, options, strength_grid(options, false), fit_vector);
  constexpr double kLambdaB = 0.1;
  FitReport echo;
  const double lambda_b = strength(options.lambda_b, kLambdaB, "lambda_b", echo);
  const Tally votes = tally(items, options.threads);
  const FitData data = load_fit_data(items, votes, ScoreKind::logits, 1, options);
  LinearFit fit =
      fit_linear(items, votes, data, false, {0, 0, lambda_b / items.classes()}, options, std::move(echo));
  Step step{"vector"};
  step.add_parameter("v", std::move(fit.w));
  step.add_parameter("b", std::move(fit.b));
  step.fit = std::move(fit.report);
  return step;
}

MapPtr map_vector(const Step& step, int classes) {
  const auto v = parameter(step, "v", {classes});
  const auto b = parameter(step, "b", {classes});
  return make_linear_map({classes, {v.begin(), v.end()}, {b.begin(), b.end()}, 0});
}

void onnx_vector(OnnxFlow& flow, const Step& step) {
  const auto v = parameter(step, "v", {flow.classes()}), b = parameter(step, "b", {flow.classes()});
  const std::string u = flow.logits();
  flow.finish(flow.op("Add", flow.op("Mul", u, flow.row(v)), flow.row(b)));
}

}  // namespace

constinit const CalibratorRow kVector{
    "vector",   Tasks::multiclass, Complexity::per_class, {"lambda_b", "tune", "prior_votes"},
    fit_vector, map_vector,        onnx_vector,           "a factor and a shift for each logit"};

}  // namespace plumb::detail
