#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/maps.hpp"
#include "plumb/calibrate/scores.hpp"

namespace plumb {
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

}  // namespace

// logistic(a u + b) on the log-odds u. Liu 2022, eq. 22 prints the probability in the place of u.
Step fit_platt(const Items& items, const FitOptions& options) {
  detail::need_binary(items, "platt", "temperature, vector or dirichlet");
  const detail::Tally tally = detail::tally(items, options.threads);
  const detail::FitData data =
      detail::load_fit_data(items, tally, detail::ScoreKind::logits, 1, options.threads);
  const detail::LogisticProblem problem(
      data, 2,
      [](double u, std::span<double> x) {
        x[0] = u;
        x[1] = 1;
      },
      options.threads);
  const detail::LogisticFit fit = problem.fit({1, 0}, {true, true});
  Step step = detail::logistic_step("platt", items, tally, data, fit.minimum);
  step.put("a", fit.theta[0]);
  step.put("b", fit.theta[1]);
  return step;
}

detail::MapPtr detail::map_platt(const Step& step, int classes) {
  need_two(step, classes);
  return std::make_unique<Platt>(scalar_parameter(step, "a"), scalar_parameter(step, "b"));
}

}  // namespace plumb
