#include <algorithm>
#include <cmath>

#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/onnx_flow.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {
namespace {

// log p and -log(1 - p) of a log-odds u, without rounding p to 0 or 1.
struct Logs {
  double p, q;
};
Logs logs(double u) {
  const double soft = log_portable(1.0 + exp_portable(-std::fabs(u)));
  return {std::min(u, 0.0) - soft, std::max(u, 0.0) + soft};
}

// a, b >= 0 keep the order of the scores. The problem is convex: when the free optimum breaks a bound, the
// answer is the best of the optima with one or both slopes at 0.
LogisticFit fit_within_bounds(const LogisticProblem& problem) {
  LogisticFit best = problem.fit({1, 1, 0}, {true, true, true});
  if (best.theta[0] >= 0 && best.theta[1] >= 0) return best;
  best = problem.fit({0, 0, 0}, {false, false, true});
  for (const bool a_free : {true, false}) {
    LogisticFit edge = problem.fit({a_free ? 1.0 : 0.0, a_free ? 0.0 : 1.0, 0}, {a_free, !a_free, true});
    if (edge.theta[0] >= 0 && edge.theta[1] >= 0 && edge.minimum.value < best.minimum.value) best = edge;
  }
  return best;
}

// logistic(a log p - b log(1 - p) + c): Dirichlet calibration of two classes.
Step fit_beta(const Items& items, const FitOptions& options) {
  const LogisticProblem problem(items, options, 3, [](double u, std::span<double> x) {
    const Logs l = logs(u);
    x[0] = l.p;
    x[1] = l.q;
    x[2] = 1;
  });
  const LogisticFit fit = fit_within_bounds(problem);
  Step step = problem.step("beta", fit, {"a", "b", "c"});
  const bool a_bound = fit.theta[0] == 0, b_bound = fit.theta[1] == 0;
  if (a_bound && b_bound)
    step.fit.warnings.emplace_back(
        "Both slopes are at their bound 0: no increasing map of the scores predicts the votes.");
  else if (a_bound || b_bound)
    step.fit.warnings.push_back(std::string(a_bound ? "The slope a of log p" : "The slope b of log(1 - p)") +
                                " is at its bound 0, which keeps the map increasing.");
  return step;
}

MapPtr map_beta(const Step& step, int classes) {
  need_two(step, classes);
  const double a = scalar_parameter(step, "a"), b = scalar_parameter(step, "b"),
               c = scalar_parameter(step, "c");
  return move_logits([=](double u) {
    const Logs l = logs(u);
    return a * l.p + b * l.q + c;
  });
}

// log p and -log(1 - p) of log-odds u, from log(1 + exp(-|u|)).
void onnx_beta(OnnxFlow& flow, const Step& step) {
  const std::string u = flow.logits();
  const std::string soft =
      flow.unary("Log", flow.op("Add", flow.unary("Exp", flow.unary("Neg", flow.unary("Abs", u))), 1.0));
  const std::string p = flow.op("Sub", flow.op("Min", u, 0.0), soft),
                    q = flow.op("Add", flow.op("Max", u, 0.0), soft);
  const std::string sum = flow.op("Add", flow.op("Mul", p, scalar_parameter(step, "a")),
                                  flow.op("Mul", q, scalar_parameter(step, "b")));
  flow.finish(flow.op("Add", sum, scalar_parameter(step, "c")));
}

}  // namespace

constinit const CalibratorRow kBeta{
    "beta",   Tasks::binary, Complexity::few, {"prior_votes"},
    fit_beta, map_beta,      onnx_beta,       "binary: a log p - b log(1 - p) + c, with a, b >= 0",
    3};

}  // namespace plumb::detail
