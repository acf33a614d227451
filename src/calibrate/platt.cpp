#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/rows.hpp"
#include "plumb/calibrate/scores.hpp"

namespace plumb::detail {
namespace {

class Platt final : public CalibrationMap {
 public:
  Platt(double a, double b) : a_(a), b_(b) {}
  void apply(std::span<const double> in, int width, std::span<double> z) const override {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = a_ * in[i] + b_;
    probabilities_of(z, width, z);
  }

 private:
  double a_, b_;
};

// logistic(a u + b) on the log-odds u. Liu 2022, eq. 22 prints the probability in the place of u.
Step fit_platt(const Items& items, const FitOptions& options) {
  need_binary(items, "platt", "temperature, vector or dirichlet");
  const Tally votes = tally(items, options.threads);
  const FitData data = load_fit_data(items, votes, ScoreKind::logits, 1, options.threads);
  const LogisticProblem problem(
      data, 2,
      [](double u, std::span<double> x) {
        x[0] = u;
        x[1] = 1;
      },
      options.threads);
  const LogisticFit fit = problem.fit({1, 0}, {true, true});
  Step step = logistic_step("platt", items, votes, data, fit.minimum);
  step.put("a", fit.theta[0]);
  step.put("b", fit.theta[1]);
  return step;
}

MapPtr map_platt(const Step& step, int classes) {
  need_two(step, classes);
  return std::make_unique<Platt>(scalar_parameter(step, "a"), scalar_parameter(step, "b"));
}

void onnx_platt(OnnxFlow& flow, const Step& step) {
  const std::string scaled = flow.op("Mul", flow.logits(), scalar_parameter(step, "a"));
  flow.finish(flow.op("Add", scaled, scalar_parameter(step, "b")));
}

}  // namespace

constinit const CalibratorRow kPlatt{
    .method = "platt",
    .binary = true,
    .complexity = Complexity::few,
    .candidate = true,
    .fit = fit_platt,
    .map = map_platt,
    .onnx = onnx_platt,
    .line = "binary: slope and shift of the log-odds",
};

}  // namespace plumb::detail
