#include "calibrate/logistic.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/linear_fit.hpp"
#include "calibrate/symmetric.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kLogisticBlock = 1024;
constexpr int kLogisticIterations = 200;
constexpr int kLogisticHalvings = 50;
// Where all probabilities are all but 0 or 1 there is next to no curvature, and a Newton step has no natural
// size: it begins with one that moves a score by no more than this.
constexpr double kMostScoreChange = 1024;

struct LogisticState : ExactDerivatives<kMostFeatures> {
  std::vector<double> s, e, soft;
};

}  // namespace

LogisticProblem::LogisticProblem(const Items& items, const FitOptions& options, std::int64_t features,
                                 const Features& fill)
    : items_(items),
      tally_(tally(items, options.threads)),
      data_(load_fit_data(items, tally_, ScoreKind::logits, 1, options)),
      d_(features),
      threads_(options.threads),
      prior_(prior_of(options, tally_)),
      scale_(features, 1.0) {
  const std::int64_t n = data_.size;
  x_.resize(n * d_);
  y_.resize(n);
  std::vector<double> most(d_);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::span<double> row = std::span(x_).subspan(i * d_, d_);
    fill(data_.u[i], row);
    for (std::int64_t j = 0; j < d_; ++j) most[j] = std::max(most[j], std::fabs(row[j]));
    for (std::int64_t e = data_.offset[i]; e < data_.offset[i + 1]; ++e)
      if (data_.cls[e] == 1) y_[i] = data_.share[e];
  }
  for (std::int64_t j = 0; j < d_; ++j)
    if (most[j] > 0) scale_[j] = std::ldexp(1.0, std::ilogb(most[j]) + 1);
  for (std::int64_t i = 0; i < std::ssize(x_); ++i) x_[i] /= scale_[i % d_];
}

LogisticProblem::Sums LogisticProblem::sums(const std::vector<double>& scaled, bool with_second) const {
  const LogisticState all = parallel_reduce_blocks(
      data_.size, kLogisticBlock, threads_, LogisticState{},
      [&](LogisticState& t, std::int64_t begin, std::int64_t end) {
        const std::int64_t n = end - begin;
        t.s.resize(n);
        t.e.resize(n);
        t.soft.resize(n);
        for (std::int64_t i = 0; i < n; ++i) {
          const double* x = x_.data() + (begin + i) * d_;
          double s = 0;
          for (std::int64_t j = 0; j < d_; ++j) s += scaled[j] * x[j];
          t.s[i] = s;
          t.e[i] = -std::fabs(s);
        }
        exp_block(t.e, t.e);
        for (std::int64_t i = 0; i < n; ++i) t.soft[i] = 1.0 + t.e[i];
        log_block(t.soft, t.soft);
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t at = begin + i;
          const double* x = x_.data() + at * d_;
          const double mass = data_.mass[at];
          const double tail = t.e[i] / (1.0 + t.e[i]);  // probability of the less likely class
          const bool up = t.s[i] > 0;
          const double against = up ? mass - y_[at] : y_[at];
          t.value.add(mass * t.soft[i] + std::fabs(t.s[i]) * against);
          const double r = up ? against - mass * tail : mass * tail - against;
          const double h = mass * tail / (1.0 + t.e[i]);
          for (std::int64_t j = 0; j < d_; ++j) {
            t.first[j].add(r * x[j]);
            if (!with_second) continue;
            for (std::int64_t l = 0; l <= j; ++l) t.second[j * kMostFeatures + l].add(h * x[j] * x[l]);
          }
        }
      },
      [](LogisticState& into, const LogisticState& from) { merge<kMostFeatures>(into, from); });
  return rounded<kMostFeatures>(all);
}

LogisticFit LogisticProblem::fit(std::vector<double> start, const std::vector<bool>& free) const {
  std::vector<std::int64_t> moving;
  for (std::int64_t j = 0; j < d_; ++j)
    if (free[j]) moving.push_back(j);
  const std::int64_t m = moving.size();
  std::vector<double> theta(d_), trial;
  for (std::int64_t j = 0; j < d_; ++j) theta[j] = start[j] * scale_[j];
  const auto norm = [&](const Sums& s) {
    double most = 0;
    for (const std::int64_t j : moving) most = std::max(most, std::fabs(s.first[j] * scale_[j]));
    return most;
  };
  LogisticFit fit;
  Sums now = sums(theta, true);
  Minimum& best = fit.minimum;
  best.gradient_norm = norm(now);
  while (best.iterations < kLogisticIterations && best.gradient_norm > kGradientAim) {
    std::vector<double> h(m * m), step(m);
    double most = 0;
    for (std::int64_t a = 0; a < m; ++a) {
      for (std::int64_t b = 0; b <= a; ++b) h[a * m + b] = now.second[moving[a] * kMostFeatures + moving[b]];
      step[a] = -now.first[moving[a]];
      most = std::max(most, h[a * m + a]);
    }
    // Collinear features leave a direction without curvature; the floor keeps the step finite.
    factor(h, m, most > 0 ? 1e-14 * most : 1.0);
    solve(h, m, step);
    double slope = 0, reach = 0;
    const auto measure = [&] {
      slope = reach = 0;
      for (std::int64_t a = 0; a < m; ++a) {
        slope += now.first[moving[a]] * step[a];
        reach += std::fabs(step[a]);  // features are below 1
      }
    };
    measure();
    const bool flat = most == 0 || !std::isfinite(reach);
    if (flat) {  // straight downhill
      for (std::int64_t a = 0; a < m; ++a) step[a] = -now.first[moving[a]];
      measure();
    }
    const double rounding = 1e-15 * std::max(1.0, now.value);
    bool found = false;
    Sums then;
    double length =
        flat || reach > kMostScoreChange ? std::ldexp(1.0, std::ilogb(kMostScoreChange / reach)) : 1;
    for (int halving = 0; halving < kLogisticHalvings && !found; ++halving, length /= 2) {
      trial = theta;
      for (std::int64_t a = 0; a < m; ++a) trial[moving[a]] += length * step[a];
      then = sums(trial, true);
      found = then.value <= now.value + 1e-4 * length * slope + rounding;
    }
    ++best.iterations;
    const double next = norm(then);
    if (!found || (next >= best.gradient_norm && now.value - then.value <= rounding)) break;
    best.last_step = {2 * length * infinity_norm(step)};  // the length was halved once more
    theta = trial;
    now = then;
    best.gradient_norm = next;
  }
  best.value = now.value;
  best.converged = best.gradient_norm <= kGradientTolerance;
  for (std::int64_t j = 0; j < d_; ++j) {
    fit.theta.push_back(free[j] ? theta[j] / scale_[j] : start[j]);
    fit.gradient.push_back(now.first[j] * scale_[j]);
  }
  return fit;
}

Step LogisticProblem::step(const char* method, const LogisticFit& fit,
                           const std::vector<const char*>& names) const {
  Step step{method};
  for (std::int64_t j = 0; j < d_; ++j) step.add_parameter(names[j], fit.theta[j]);
  describe(tally_, items_, data_.clipped, step.fit);
  describe(fit.minimum, step.fit);
  if (prior_.any()) return step;
  if (lacks_class(tally_))
    step.fit.no_optimum = "A class has no vote";
  else if (!fit.minimum.last_step.empty() && fit.minimum.last_step.front() > kRunaway)
    step.fit.no_optimum = separation();
  return step;
}

}  // namespace plumb::detail
