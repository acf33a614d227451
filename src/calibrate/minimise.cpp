#include "calibrate/minimise.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::detail {
namespace {

constexpr int kNewtonIterations = 200;
constexpr int kMaxProducts = 400;             // in one step
constexpr std::int64_t kMostProducts = 5000;  // in all: fits that converge need a few hundred
constexpr int kNewtonHalvings = 40;

/// Conjugate gradients on H d = -g until the residual is a small part of g, smaller as g is: quadratic
/// convergence near the end without exact steps far from it.
std::int64_t newton_step(ConvexProblem& problem, std::span<const double> g, double relative, double floor,
                         std::vector<double>& d) {
  const std::size_t n = g.size();
  std::vector<double> r(n), z(n), p(n), hp(n);
  for (std::size_t i = 0; i < n; ++i) r[i] = -g[i];
  std::fill(d.begin(), d.end(), 0.0);
  problem.precondition(r, z);
  p = z;
  double rz = dot(r, z);
  const double stop = relative * relative * rz;
  std::int64_t products = 0;
  while (products < kMaxProducts && rz > 0) {
    problem.curve(p, hp);
    ++products;
    const double curvature = dot(p, hp);
    if (!(curvature > 0)) break;
    const double a = rz / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      d[i] += a * p[i];
      r[i] -= a * hp[i];
    }
    problem.precondition(r, z);
    const double next = dot(r, z);
    if (next <= stop || infinity_norm(r) <= floor) break;
    const double b = next / rz;
    rz = next;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + b * p[i];
  }
  if (products == 0 || dot(d, g) >= 0) {
    problem.precondition(g, z);
    for (std::size_t i = 0; i < n; ++i) d[i] = -z[i];
  }
  return products;
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
  double lane[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (std::size_t l = 0; l < 4; ++l) lane[l] += a[i + l] * b[i + l];
  for (; i < a.size(); ++i) lane[0] += a[i] * b[i];
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

double infinity_norm(std::span<const double> a) {
  double most = 0;
  for (const double x : a) most = std::max(most, std::fabs(x));
  return most;
}

Minimum minimise(ConvexProblem& problem, std::vector<double>& x, double aim) {
  std::vector<double> g(x.size()), d(x.size()), trial(x.size()), trial_g(x.size());
  Minimum m;
  m.value = problem.evaluate(x, g);
  m.gradient_norm = infinity_norm(g);
  const double first = m.gradient_norm;
  while (m.iterations < kNewtonIterations && m.products < kMostProducts && m.gradient_norm > aim) {
    problem.prepare();
    const double relative = std::min(0.2, std::sqrt(m.gradient_norm / first));
    m.products += newton_step(problem, g, relative, 0.3 * aim, d);
    const double slope = dot(g, d);
    const double rounding = 1e-15 * std::max(1.0, std::fabs(m.value));
    double step = 1;
    bool found = false;
    double value = 0;
    for (int halving = 0; halving < kNewtonHalvings && !found; ++halving, step /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i) trial[i] = x[i] + step * d[i];
      value = problem.evaluate(trial, trial_g);
      found = value <= m.value + 1e-4 * step * slope + rounding;
    }
    ++m.iterations;
    const double norm = infinity_norm(trial_g);
    // At the level of rounding the objective no longer tells steps apart; the gradient does.
    const bool stalled = !found || (norm >= m.gradient_norm && m.value - value <= rounding);
    if (stalled) break;
    m.last_step.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) m.last_step[i] = trial[i] - x[i];
    x.swap(trial);
    g.swap(trial_g);
    m.value = value;
    m.gradient_norm = norm;
  }
  m.converged = m.gradient_norm <= kGradientTolerance;
  return m;
}

}  // namespace plumb::detail
