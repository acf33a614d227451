#include <algorithm>
#include <cmath>

#include "calibrate/linear_fit.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/maps.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

// log p and -log(1 - p) of a log-odds u, without rounding p to 0 or 1.
struct Logs {
  double p, q;
};
Logs logs(double u) {
  const double soft = log_portable(1.0 + exp_portable(-std::fabs(u)));
  return {std::min(u, 0.0) - soft, std::max(u, 0.0) + soft};
}

class Beta final : public CalibrationMap {
 public:
  Beta(double a, double b, double c) : a_(a), b_(b), c_(c) {}
  void apply(std::span<const double> in, int width, std::span<double> z) const override {
    for (std::size_t i = 0; i < z.size(); ++i) {
      const Logs l = logs(in[i]);
      z[i] = a_ * l.p + b_ * l.q + c_;
    }
    probabilities_of(z, width, z);
  }

 private:
  double a_, b_, c_;
};

// a, b >= 0 keep the order of the scores. The problem is convex: when the free optimum breaks a bound, the
// answer is the best of the optima with one or both slopes at 0.
detail::LogisticFit fit_within_bounds(const detail::LogisticProblem& problem) {
  detail::LogisticFit best = problem.fit({1, 1, 0}, {true, true, true});
  if (best.theta[0] >= 0 && best.theta[1] >= 0) return best;
  best = problem.fit({0, 0, 0}, {false, false, true});
  for (const bool a_free : {true, false}) {
    detail::LogisticFit edge =
        problem.fit({a_free ? 1.0 : 0.0, a_free ? 0.0 : 1.0, 0}, {a_free, !a_free, true});
    if (edge.theta[0] >= 0 && edge.theta[1] >= 0 && edge.minimum.value < best.minimum.value) best = edge;
  }
  return best;
}

}  // namespace

// logistic(a log p - b log(1 - p) + c): Dirichlet calibration of two classes.
Step fit_beta(const Items& items, const FitOptions& options) {
  detail::need_binary(items, "beta", "dirichlet");
  const detail::Tally tally = detail::tally(items, options.threads);
  const detail::FitData data =
      detail::load_fit_data(items, tally, detail::ScoreKind::logits, 1, options.threads);
  const detail::LogisticProblem problem(
      data, 3,
      [](double u, std::span<double> x) {
        const Logs l = logs(u);
        x[0] = l.p;
        x[1] = l.q;
        x[2] = 1;
      },
      options.threads);
  const detail::LogisticFit fit = fit_within_bounds(problem);
  Step step = detail::logistic_step("beta", items, tally, data, fit.minimum);
  step.put("a", fit.theta[0]);
  step.put("b", fit.theta[1]);
  step.put("c", fit.theta[2]);
  if (fit.theta[0] == 0 && fit.theta[1] == 0) {
    step.fit.warnings.emplace_back(
        "Both slopes are at their bound 0: the scores say nothing about the votes that an increasing map "
        "could use.");
  } else if (fit.theta[0] == 0 || fit.theta[1] == 0) {
    step.fit.warnings.emplace_back(
        fit.theta[0] == 0 ? "The slope a of log p is at its bound 0, which keeps the map increasing."
                          : "The slope b of log(1 - p) is at its bound 0, which keeps the map "
                            "increasing.");
  }
  return step;
}

detail::MapPtr detail::map_beta(const Step& step, int classes) {
  need_two(step, classes);
  return std::make_unique<Beta>(scalar_parameter(step, "a"), scalar_parameter(step, "b"),
                                scalar_parameter(step, "c"));
}

}  // namespace plumb
