#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/onnx_flow.hpp"

namespace plumb::detail {
namespace {

// logistic(a u + b) on the log-odds u. Liu 2022, eq. 22 prints the probability in the place of u.
Step fit_platt(const Items& items, const FitOptions& options) {
  const LogisticProblem problem(items, options, 2, [](double u, std::span<double> x) {
    x[0] = u;
    x[1] = 1;
  });
  return problem.step("platt", problem.fit({1, 0}, {true, true}), {"a", "b"});
}

MapPtr map_platt(const Step& step, int classes) {
  need_two(step, classes);
  return move_logits(
      [a = scalar_parameter(step, "a"), b = scalar_parameter(step, "b")](double u) { return a * u + b; });
}

void onnx_platt(OnnxFlow& flow, const Step& step) {
  const std::string scaled = flow.op("Mul", flow.logits(), scalar_parameter(step, "a"));
  flow.finish(flow.op("Add", scaled, scalar_parameter(step, "b")));
}

}  // namespace

constinit const CalibratorRow kPlatt{
    "platt",   Tasks::binary, Complexity::few, {"prior_votes"},
    fit_platt, map_platt,     onnx_platt,      "binary: slope and shift of the log-odds",
    2};

}  // namespace plumb::detail
