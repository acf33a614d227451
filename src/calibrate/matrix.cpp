// Matrix scaling on logits and Dirichlet calibration on log-probabilities: one objective.
#include "calibrate/linear_fit.hpp"
#include "calibrate/linear_map.hpp"
#include "calibrate/tune.hpp"

namespace plumb {
namespace {

// softmax(W u + b) with lambda_w / (K (K - 1)) sum_{k != l} W_kl^2 + lambda_b / K sum b^2 (Mimori 2021, eq.
// 48).
Step fit_odir(const Items& items, const FitOptions& options, detail::ScoreKind kind, const char* method) {
  constexpr double kLambdaB = 1;
  constexpr double kLambdaW = 10;
  FitReport echo;
  const double lambda_b = detail::strength(options.lambda_b, kLambdaB, "lambda_b", echo);
  const double lambda_w = detail::strength(options.lambda_w, kLambdaW, "lambda_w", echo);
  const detail::Tally tally = detail::tally(items, options.threads);
  const detail::FitData data = detail::load_fit_data(items, tally, kind, 1, options.threads);
  const double k = items.classes();
  detail::LinearFit fit = detail::fit_linear(items, tally, data, true,
                                             {0, lambda_w / (k * (k - 1)), lambda_b / k}, options.threads);
  Step step;
  step.method = method;
  step.put("W", {items.classes(), items.classes()}, std::move(fit.w));
  step.put("b", std::move(fit.b));
  step.fit = std::move(fit.report);
  step.fit.options = std::move(echo.options);
  return step;
}

}  // namespace

Step fit_matrix(const Items& items, const FitOptions& options) {
  detail::need_three_classes(items, "matrix", "platt or beta");
  if (options.tune) return detail::tune(items, options, detail::strength_grid(options, true), fit_matrix);
  return fit_odir(items, options, detail::ScoreKind::logits, "matrix");
}

Step fit_dirichlet(const Items& items, const FitOptions& options) {
  if (items.binary()) return fit_beta(items, options);
  if (options.tune) return detail::tune(items, options, detail::strength_grid(options, true), fit_dirichlet);
  return fit_odir(items, options, detail::ScoreKind::log_probabilities, "dirichlet");
}

detail::MapPtr detail::map_matrix(const Step& step, int classes) {
  const auto w = parameter(step, "W", {classes, classes});
  const auto b = parameter(step, "b", {classes});
  return make_linear_map(
      {classes, {w.begin(), w.end()}, {b.begin(), b.end()}, step.method == "dirichlet" ? 1.0 : 0.0});
}

}  // namespace plumb
