// Matrix scaling on logits and Dirichlet calibration on log-probabilities: one objective.
#include "calibrate/linear_fit.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/tune.hpp"

namespace plumb::detail {
namespace {

// softmax(W u + b) with the penalty (Mimori 2021, eq. 48)
//   lambda_w / (K (K - 1)) sum_{k != l} W_kl^2 + lambda_b / K sum b^2.
Step fit_odir(const Items& items, const FitOptions& options, ScoreKind kind, const char* method) {
  constexpr double kLambdaB = 1;
  constexpr double kLambdaW = 10;
  FitReport echo;
  const double lambda_b = strength(options.lambda_b, kLambdaB, "lambda_b", echo);
  const double lambda_w = strength(options.lambda_w, kLambdaW, "lambda_w", echo);
  const Tally votes = tally(items, options.threads);
  const FitData data = load_fit_data(items, votes, kind, 1, options);
  const double k = items.classes();
  LinearFit fit = fit_linear(items, votes, data, true, {0, lambda_w / (k * (k - 1)), lambda_b / k}, options,
                             std::move(echo));
  Step step{method};
  step.add_parameter("W", {items.classes(), items.classes()}, std::move(fit.w));
  step.add_parameter("b", std::move(fit.b));
  step.fit = std::move(fit.report);
  return step;
}

Step fit_matrix(const Items& items, const FitOptions& options) {
  if (options.tune) return tune(items, options, strength_grid(options, true), fit_matrix);
  return fit_odir(items, options, ScoreKind::logits, "matrix");
}

Step fit_dirichlet(const Items& items, const FitOptions& options) {
  if (items.binary()) return kBeta.fit(items, options);
  if (options.tune) return tune(items, options, strength_grid(options, true), fit_dirichlet);
  return fit_odir(items, options, ScoreKind::log_probabilities, "dirichlet");
}

MapPtr map_matrix(const Step& step, int classes) {
  const auto w = parameter(step, "W", {classes, classes});
  const auto b = parameter(step, "b", {classes});
  return make_linear_map(
      {classes, {w.begin(), w.end()}, {b.begin(), b.end()}, step.method == "dirichlet" ? 1.0 : 0.0});
}

void onnx_matrix(OnnxFlow& flow, const Step& step) {
  if (step.method == "dirichlet") flow.want_log_probabilities(step.method, std::nullopt);
  flow.finish_product(parameter(step, "W", {flow.classes(), flow.classes()}),
                      parameter(step, "b", {flow.classes()}));
}

}  // namespace

constinit const CalibratorRow kMatrix{"matrix",
                                      Tasks::multiclass,
                                      Complexity::per_pair,
                                      {"lambda_b", "lambda_w", "tune", "prior_votes"},
                                      fit_matrix,
                                      map_matrix,
                                      onnx_matrix,
                                      "a linear map of the logits, off-diagonal and intercept shrunk (ODIR)"};

constinit const CalibratorRow kDirichlet{
    "dirichlet",          Tasks::any,
    Complexity::per_pair, {"lambda_b", "lambda_w", "tune", "prior_votes"},
    fit_dirichlet,        map_matrix,
    onnx_matrix,          "a linear map of the log-probabilities, off-diagonal and intercept shrunk (ODIR)"};

}  // namespace plumb::detail
