#include <algorithm>

#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/maps.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
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

}  // namespace

// logistic(b + w_1 l + w_2 l^2) on the log-odds l. Not held monotone: a warning says where it turns.
Step fit_quadratic(const Items& items, const FitOptions& options) {
  detail::need_binary(items, "quadratic", "structured-vector or structured-matrix");
  const detail::Tally tally = detail::tally(items, options.threads);
  const detail::FitData data =
      detail::load_fit_data(items, tally, detail::ScoreKind::logits, 1, options.threads);
  const detail::LogisticProblem problem(
      data, 3,
      [](double u, std::span<double> x) {
        x[0] = 1;
        x[1] = u;
        x[2] = u * u;
      },
      options.threads);
  const detail::LogisticFit fit = problem.fit({0, 1, 0}, {true, true, true});
  Step step = detail::logistic_step("quadratic", items, tally, data, fit.minimum);
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

detail::MapPtr detail::map_quadratic(const Step& step, int classes) {
  need_two(step, classes);
  return std::make_unique<Quadratic>(scalar_parameter(step, "b"), scalar_parameter(step, "w1"),
                                     scalar_parameter(step, "w2"));
}

}  // namespace plumb
