#include "plumb/calibrate/alpha.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/alpha_problem.hpp"
#include "calibrate/minimise.hpp"
#include "calibrate/rows.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb {
namespace detail {
namespace {

constexpr double kLambda = 0.005;  // Mimori 2021, appendix F
constexpr int kAlphaIterations = 100;
constexpr double kGoal = 1e-9, kPromise = 1e-6;  // gradient, per item

double ordered_dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < std::ssize(a); ++i) sum += a[i] * b[i];
  return sum;
}

// A Newton direction by conjugate gradients; if the curvature is not positive, the direction found so far is
// used (Steihaug).
std::vector<double> newton_direction(const AlphaProblem& problem, const std::vector<double>& g) {
  std::vector<double> d(g.size(), 0.0), r(g.size()), p, hp(g.size());
  for (std::int64_t j = 0; j < std::ssize(g); ++j) r[j] = -g[j];
  p = r;
  double rr = ordered_dot(r, r);
  const double enough = rr * std::min(0.01, rr);  // tighter near the end: fast convergence
  for (std::int64_t step = 0; step < std::min<std::int64_t>(g.size() + 2, 60) && rr > enough; ++step) {
    problem.times(p, hp);
    const double curvature = ordered_dot(p, hp);
    if (!(curvature > 0)) return step == 0 ? r : d;
    const double a = rr / curvature;
    for (std::int64_t j = 0; j < std::ssize(g); ++j) {
      d[j] += a * p[j];
      r[j] -= a * hp[j];
    }
    const double next = ordered_dot(r, r);
    for (std::int64_t j = 0; j < std::ssize(g); ++j) p[j] = r[j] + next / rr * p[j];
    rr = next;
  }
  return d;
}

std::vector<double> minimise_alpha(AlphaProblem& problem, FitReport& report) {
  std::vector<double> theta(problem.unknowns(), 0.0), g(theta.size()), next(theta.size()),
      g_next(theta.size());
  double f = problem.value(theta, g);
  for (report.iterations = 0; report.iterations < kAlphaIterations && infinity_norm(g) > kGoal;
       ++report.iterations) {
    const std::vector<double> d = newton_direction(problem, g);
    const double slope = ordered_dot(g, d);
    double step = std::min(1.0, 5.0 / infinity_norm(d));  // alpha_0 changes by at most about e^5 in one step
    bool paid = false;
    for (int halving = 0; halving < 40 && !paid; ++halving) {
      for (std::int64_t j = 0; j < std::ssize(d); ++j) next[j] = theta[j] + step * d[j];
      const double at = problem.value(next, g_next);
      // Near the end the values are equal to the last bits: there a smaller gradient is progress.
      paid = at <= f + 1e-4 * step * slope ||
             (at <= f + 1e-14 * std::abs(f) && infinity_norm(g_next) < infinity_norm(g));
      if (paid) f = at;
      step /= 2;
    }
    if (!paid) {
      f = problem.value(theta, g);
      break;
    }
    theta.swap(next);
    g.swap(g_next);
  }
  report.objective = f;
  report.gradient_norm = infinity_norm(problem.gradient_in_file_units(g));
  report.converged = report.gradient_norm <= kPromise;
  return theta;
}

/// alpha_0 of an item with average features and its 95% interval, symmetric in log alpha_0.
void add_interval_of_alpha(const AlphaProblem& problem, const std::vector<double>& theta, const Names& groups,
                           FitReport& report) {
  constexpr double kLevel = 0.95;
  report.options.emplace_back("alpha_0", exp_portable(theta[0]));
  const std::optional<AlphaSpread> spread = problem.log_alpha_spread(theta, groups);
  if (!spread) return;
  const double half = normal_quantile((1 + kLevel) / 2) * spread->error;
  report.options.emplace_back("alpha_0_low", exp_portable(spread->middle - half));
  report.options.emplace_back("alpha_0_high", exp_portable(spread->middle + half));
}

Step fit_alpha(const Items& items, const FitOptions& options) {
  const double lambda = options.lambda.value_or(kLambda);
  if (!(lambda >= 0)) throw InputError("⟦lambda⟧ must be 0 or more, not " + show(lambda));
  AlphaProblem problem(items, options, lambda);
  Step step{"alpha"};
  const std::vector<double> found = minimise_alpha(problem, step.fit);
  const std::vector<double> theta = problem.in_file_units(found);
  step.add_parameter("bias", theta[0]);
  if (theta.size() > 1) step.add_parameter("weights", std::vector<double>(theta.begin() + 1, theta.end()));
  step.fit.items = problem.items();
  step.fit.votes = problem.votes();
  step.fit.options = {{"lambda", lambda}, {"weight_votes", options.weight_votes}};
  add_interval_of_alpha(problem, found, items.groups, step.fit);
  if (problem.single() > 0)
    step.fit.warnings.push_back(counted(problem.single(), "item") +
                                " of one vote left out: one vote says nothing about alpha_0.");
  if (problem.clipped() > 0)
    step.fit.warnings.push_back(counted(problem.clipped(), "probability value") + " below 1e-12 clipped.");
  if (!step.fit.converged)
    step.fit.warnings.push_back("The fit of alpha_0 stopped with a gradient of " +
                                show(step.fit.gradient_norm) + ".");
  return step;
}

}  // namespace

// The probabilities stay: map and nodes of `none`.
constinit const CalibratorRow kAlpha{
    "alpha",
    Tasks::any,
    Complexity::unranked,
    {"lambda", "features", "weight_votes"},
    fit_alpha,
    [](const Step& step, int classes) { return kNone.map(step, classes); },
    [](OnnxFlow& flow, const Step& step) { kNone.onnx(flow, step); },
    "concentration alpha_0 of the prediction, for forecasts of disagreement; the probabilities do not change"};

}  // namespace detail

void detail::check_feature(double x, const Rows& features, std::int64_t row, std::int64_t column) {
  constexpr double kMostFeature = 1e20;  // its square is summed
  if (std::abs(x) <= kMostFeature) return;
  throw InputError(features.where(row) + ", column " + std::to_string(column) + ": the feature is " +
                   show(x) + "; features must be finite and at most 1e20 in size, so rescale them");
}

std::int64_t alpha_features(const Step& alpha) {
  for (const Parameter& p : alpha.parameters)
    if (p.name == "weights") return p.values.size();
  return 0;
}

void alpha_concentration(const Step& alpha, const Rows& features, std::int64_t begin, std::int64_t end,
                         std::span<double> out) {
  const double bias = scalar_parameter(alpha, "bias");
  const std::int64_t width = alpha_features(alpha);
  if (width == 0) {
    std::fill(out.begin(), out.end(), exp_portable(std::clamp(bias, -600.0, 600.0)));
    return;
  }
  const auto weights = vector_parameter(alpha, "weights");
  if (features.empty())
    throw InputError("the model's alpha step was fitted with " + counted(width, "feature") +
                     "; give them with ⟦features⟧");
  if (features.width() != width)
    throw InputError(features.name() + " has " + counted(features.width(), "column") +
                     " but the model's alpha step needs " + std::to_string(width));
  std::vector<double> u((end - begin) * width);
  features.read(begin, end, u);
  for (std::int64_t i = 0; i < std::ssize(out); ++i) {
    double s = bias;
    for (std::int64_t j = 0; j < width; ++j) {
      detail::check_feature(u[i * width + j], features, begin + i, j);
      s += weights[j] * u[i * width + j];
    }
    if (!std::isfinite(s))
      throw InputError(
          "the model's weights for features are too large to be used; fit it again with plumb calibrate fit");
    out[i] = exp_portable(std::clamp(s, -600.0, 600.0));
  }
}

}  // namespace plumb
