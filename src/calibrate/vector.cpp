#include "calibrate/linear_fit.hpp"
#include "calibrate/linear_map.hpp"
#include "calibrate/tune.hpp"

namespace plumb {

// softmax(diag(v) u + b) with lambda_b / K sum b^2 (Mimori 2021, eq. 47).
Step fit_vector(const Items& items, const FitOptions& options) {
  detail::need_three_classes(items, "vector", "platt or beta");
  if (options.tune) return detail::tune(items, options, detail::strength_grid(options, false), fit_vector);
  constexpr double kLambdaB = 0.1;
  FitReport echo;
  const double lambda_b = detail::strength(options.lambda_b, kLambdaB, "lambda_b", echo);
  const detail::Tally tally = detail::tally(items, options.threads);
  const detail::FitData data =
      detail::load_fit_data(items, tally, detail::ScoreKind::logits, 1, options.threads);
  detail::LinearFit fit =
      detail::fit_linear(items, tally, data, false, {0, 0, lambda_b / items.classes()}, options.threads);
  Step step;
  step.method = "vector";
  step.put("v", std::move(fit.w));
  step.put("b", std::move(fit.b));
  step.fit = std::move(fit.report);
  step.fit.options = std::move(echo.options);
  return step;
}

detail::MapPtr detail::map_vector(const Step& step, int classes) {
  const auto v = parameter(step, "v", {classes});
  const auto b = parameter(step, "b", {classes});
  return make_linear_map({classes, {v.begin(), v.end()}, {b.begin(), b.end()}, 0});
}

}  // namespace plumb
