#include <algorithm>

#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/onnx_flow.hpp"

namespace plumb::detail {
namespace {

// logistic(b + w_1 l + w_2 l^2) on the log-odds l. Not constrained to be monotone: a warning says where
// it turns.
Step fit_quadratic(const Items& items, const FitOptions& options) {
  const LogisticProblem problem(items, options, 3, [](double u, std::span<double> x) {
    x[0] = 1;
    x[1] = u;
    x[2] = u * u;
  });
  const LogisticFit fit = problem.fit({0, 1, 0}, {true, true, true});
  Step step = problem.step("quadratic", fit, {"b", "w1", "w2"});
  const double turn = -fit.theta[1] / (2 * fit.theta[2]);
  const std::span<const double> u = problem.log_odds();
  const auto [low, high] = std::minmax_element(u.begin(), u.end());
  if (turn > *low && turn < *high)
    step.fit.warnings.push_back("The map turns at log-odds " + show(turn) +
                                ", inside the data: it does not keep the order of the scores.");
  return step;
}

MapPtr map_quadratic(const Step& step, int classes) {
  need_two(step, classes);
  const double b = scalar_parameter(step, "b"), w1 = scalar_parameter(step, "w1"),
               w2 = scalar_parameter(step, "w2");
  return move_logits([=](double u) { return b + (w1 + w2 * u) * u; });
}

void onnx_quadratic(OnnxFlow& flow, const Step& step) {
  const std::string u = flow.logits();
  const std::string slope =
      flow.op("Add", flow.op("Mul", u, scalar_parameter(step, "w2")), scalar_parameter(step, "w1"));
  flow.finish(flow.op("Add", flow.op("Mul", slope, u), scalar_parameter(step, "b")));
}

}  // namespace

constinit const CalibratorRow kQuadratic{"quadratic",
                                         Tasks::binary,
                                         Complexity::few,
                                         {"prior_votes"},
                                         fit_quadratic,
                                         map_quadratic,
                                         onnx_quadratic,
                                         "binary: a quadratic function of the log-odds",
                                         3};

}  // namespace plumb::detail
