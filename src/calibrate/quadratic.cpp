#include <algorithm>

#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/rows.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

class Quadratic final : public CalibrationMap {
 public:
  Quadratic(double b, double w1, double w2) : b_(b), w1_(w1), w2_(w2) {}
  void apply(std::span<const double> in, int width, std::span<double> z) const override {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = b_ + (w1_ + w2_ * in[i]) * in[i];
    probabilities_of(z, width, z);
  }

 private:
  double b_, w1_, w2_;
};

// logistic(b + w_1 l + w_2 l^2) on the log-odds l. Not held monotone: a warning says where it turns.
Step fit_quadratic(const Items& items, const FitOptions& options) {
  need_binary(items, "quadratic", "structured-vector or structured-matrix");
  const Tally votes = tally(items, options.threads);
  const FitData data = load_fit_data(items, votes, ScoreKind::logits, 1, options.threads);
  const LogisticProblem problem(
      data, 3,
      [](double u, std::span<double> x) {
        x[0] = 1;
        x[1] = u;
        x[2] = u * u;
      },
      options.threads);
  const LogisticFit fit = problem.fit({0, 1, 0}, {true, true, true});
  Step step = logistic_step("quadratic", items, votes, data, fit.minimum);
  step.put("b", fit.theta[0]);
  step.put("w1", fit.theta[1]);
  step.put("w2", fit.theta[2]);
  const double turn = -fit.theta[1] / (2 * fit.theta[2]);
  const auto [low, high] = std::minmax_element(data.u.begin(), data.u.end());
  if (turn > *low && turn < *high) {
    step.fit.warnings.push_back("The map turns at log-odds " + show(turn) +
                                ", inside the data: it does not keep the order of the scores.");
  }
  return step;
}

MapPtr map_quadratic(const Step& step, int classes) {
  need_two(step, classes);
  return std::make_unique<Quadratic>(scalar_parameter(step, "b"), scalar_parameter(step, "w1"),
                                     scalar_parameter(step, "w2"));
}

void onnx_quadratic(OnnxFlow& flow, const Step& step) {
  const std::string u = flow.logits();
  const std::string slope =
      flow.op("Add", flow.op("Mul", u, scalar_parameter(step, "w2")), scalar_parameter(step, "w1"));
  flow.finish(flow.op("Add", flow.op("Mul", slope, u), scalar_parameter(step, "b")));
}

}  // namespace

constinit const CalibratorRow kQuadratic{
    .method = "quadratic",
    .binary = true,
    .complexity = Complexity::few,
    .candidate = true,
    .fit = fit_quadratic,
    .map = map_quadratic,
    .onnx = onnx_quadratic,
    .line = "binary: a parabola of the log-odds",
};

}  // namespace plumb::detail
