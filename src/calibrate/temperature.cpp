#include "calibrate/temperature.hpp"

#include <fmt/format.h>

#include <cmath>

#include "calibrate/onnx_flow.hpp"
#include "calibrate/rows.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {
namespace {

constexpr double kStep = 1e-9;  // a relative change of T that is not worth another pass
constexpr int kMaxPasses = 60;
constexpr int kSlowSteps = 3;  // steps in a row that gain little

struct Point {
  double beta;
  TemperatureDerivatives at;
  [[nodiscard]] double slope() const { return beta * at.first; }  // in log beta
};

// The log-loss is convex in beta = 1/T: the sign of its slope brackets the optimum, and Newton's steps stay
// inside the bracket, which is halved in log beta when they do not help. A bound is evaluated only when the
// steps would cross it or approach it slowly.
class Search {
 public:
  explicit Search(const std::function<TemperatureDerivatives(double)>& at) : at_(at) {}

  TemperatureFit run() {
    Point now = evaluate(1.0);
    int slow = 0;
    while (passes_ < kMaxPasses) {
      if (now.at.first == 0) return finish(now, now.at.second == 0 ? "flat" : "");
      const bool up = now.at.first < 0;
      (up ? low_ : high_) = now.beta;
      const double next = candidate(now, slow);
      if (std::fabs(next / now.beta - 1) <= kStep) return finish(now, "");
      const bool bound = next == 1 / kSmallestT || next == 1 / kLargestT;
      const Point then = evaluate(next);
      if (bound) {
        (up ? high_seen_ : low_seen_) = true;
        if (up ? then.at.first <= 0 : then.at.first >= 0) return finish(then, up ? "separable" : "useless");
        slow = 0;
        continue;  // the optimum is inside after all
      }
      if (slow == kSlowSteps) slow = 0;
      const double ratio = then.slope() / now.slope();
      slow = ratio > 0.25 || ratio < -0.9 ? slow + 1 : 0;  // slow, or oscillating
      now = then;
    }
    TemperatureFit fit = finish(now, "");
    fit.converged = std::fabs(fit.gradient) <= 1e-6;
    return fit;
  }

 private:
  [[nodiscard]] double candidate(const Point& now, int slow) const {
    const bool up = now.at.first < 0;
    // An evaluated end has the optimum inside; a bound that was not evaluated may be the solution itself.
    const bool closed = up ? high_seen_ || high_ < 1 / kSmallestT : low_seen_ || low_ > 1 / kLargestT;
    const double beyond = closed ? std::sqrt(low_ * high_) : up ? high_ : low_;
    if (slow == kSlowSteps) return beyond;
    const auto inside = [&](double beta) { return beta > low_ && beta < high_; };
    // Newton in beta, in which the log-loss is nearly a parabola; where that leaves the positive numbers, in
    // log beta. A step too small to leave the end of the bracket is a step inside.
    const double newton = now.beta - now.at.first / now.at.second;
    if (inside(newton) || std::fabs(newton / now.beta - 1) <= kStep) return newton;
    const double curvature = now.slope() + now.beta * now.beta * now.at.second;
    const double next = curvature > 0 ? now.beta * exp_portable(-now.slope() / curvature) : beyond;
    return inside(next) ? next : beyond;
  }

  Point evaluate(double beta) {
    ++passes_;
    return {beta, at_(beta)};
  }

  TemperatureFit finish(const Point& p, std::string_view how) const {
    TemperatureFit fit;
    fit.T = 1 / p.beta;
    fit.objective = p.at.value;
    fit.gradient = p.slope();
    fit.passes = passes_;
    if (how == "separable") {
      fit.T = kSmallestT;
      fit.no_optimum = separation();
    } else if (how == "useless") {
      fit.T = kLargestT;
      fit.no_optimum = "The scores do not predict the votes";
      fit.warning = fmt::format("{}, so the best temperature is infinite; T was left at its bound {}.",
                                fit.no_optimum, show(kLargestT));
    } else if (how == "flat") {
      fit.warning = "The scores of each item are equal, so the temperature changes nothing; T was left at 1.";
    }
    return fit;
  }

  const std::function<TemperatureDerivatives(double)>& at_;
  int passes_ = 0;
  double low_ = 1 / kLargestT, high_ = 1 / kSmallestT;  // of beta
  bool low_seen_ = false, high_seen_ = false;
};

Step fit_step(const Items& items, const FitOptions& options) {
  const Tally votes = tally(items, options.threads);
  return temperature_step(fit_temperature(items, votes, options), votes, items);
}

MapPtr map_temperature(const Step& step, int /*classes*/) {
  return move_logits([t = positive_temperature(step)](double u) { return u / t; });
}

void onnx_temperature(OnnxFlow& flow, const Step& step) {
  flow.finish(flow.op("Div", flow.logits(), scalar_parameter(step, "T")));
}

}  // namespace

TemperatureFit fit_temperature(const Items& items, const Tally& tally, const FitOptions& options) {
  TemperaturePass pass(items, tally.mass, options.threads, prior_of(options, tally));
  TemperatureFit fit = search_temperature([&](double beta) { return pass(beta); });
  fit.passes = pass.passes();  // with that of the prior
  fit.clipped = pass.clipped();
  return fit;
}

TemperatureFit search_temperature(const std::function<TemperatureDerivatives(double)>& at) {
  return Search(at).run();
}

Step temperature_step(const TemperatureFit& fit, const Tally& tally, const Items& items) {
  Step step{"temperature"};
  step.add_parameter("T", fit.T);
  describe(tally, items, fit.clipped, step.fit);
  step.fit.objective = fit.objective;
  step.fit.gradient_norm = std::fabs(fit.gradient);
  step.fit.iterations = fit.passes;
  step.fit.converged = fit.converged;
  if (!fit.warning.empty()) step.fit.warnings.push_back(fit.warning);
  step.fit.no_optimum = fit.no_optimum;
  return step;
}

double positive_temperature(const Step& step) {
  const double t = scalar_parameter(step, "T");
  if (!(t > 0))
    throw InputError(
        fmt::format("the model's {} step has T = {}; it must be positive", step.method, show(t)));
  return t;
}

constinit const CalibratorRow kTemperature{
    "temperature",    Tasks::any,
    Complexity::one,  {"prior_votes"},
    fit_step,         map_temperature,
    onnx_temperature, "logits divided by one temperature: makes all predictions more or less confident"};

}  // namespace plumb::detail
