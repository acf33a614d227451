#include "plumb/metrics/ordered/score_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

constexpr const char* kNoDoubt = "every forecast is 0 or 1";

/// body(e, v, i): residual and variance of item i, both times its weight.
template <class Body>
bool each_residual(const ForecastsView& f, Body body) {
  bool some = false;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double n = f.trials_of(i), w = f.weight_of(i), p = f.p[i];
    if (n == 0 || w == 0) continue;
    some = true;
    body(w * (f.hits[i] - n * p), w * n * p * (1 - p), i);
  }
  return some;
}

/// Votes over their weight: both statistics grow with the number of votes, and a common factor of all weights
/// is no further vote. 1 without weights.
double votes_per_weight(const ForecastsView& f) {
  if (f.weight.empty()) return 1;
  ExactSum votes, weight;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (!(f.weight_of(i) > 0)) continue;
    votes.add(f.trials_of(i) * (f.times.empty() ? 1.0 : f.times[i]));
    weight.add(f.trials_of(i) * f.weight_of(i));
  }
  return weight.value() > 0 ? votes.value() / weight.value() : 1;
}

/// log(p / (1 - p)) of a few rows, cut at kMostLogit.
void cut_logits(std::span<const double> p, std::span<double> out) {
  std::array<double, 256> rest;
  for (std::size_t i = 0; i < p.size(); ++i) rest[i] = 1 - p[i];
  const std::span<double> r = std::span(rest).first(p.size());
  log_block(p, out);
  log_block(r, r);
  for (std::size_t i = 0; i < p.size(); ++i) out[i] = std::clamp(out[i] - r[i], -kMostLogit, kMostLogit);
}

Estimate cox_from(double a, double b, double c, double x, double y) {
  if (!(a > 0)) return Estimate::undefined(kNoDoubt);
  // The slope's score beside the intercept's, and its variance.
  const double slope = y - b / a * x, spread = c - b / a * b;
  constexpr double kRounding = 1e-12;
  const double joint = spread > kRounding * c ? slope * slope / spread : 0;
  return x * x / a + joint;
}

Estimate z_from(double top, double variance) {
  if (!(variance > 0)) return Estimate::undefined("every forecast is 0, 1/2 or 1");
  return top / std::sqrt(variance);
}

Estimate scaled(Estimate e, double by) {
  if (e) *e.value *= by;
  return e;
}

/// body(first row, block, its logits) for blocks of a column.
template <class Body>
void each_block(const ForecastsView& f, Body body) {
  std::array<double, 256> logit;
  for (std::size_t begin = 0; begin < f.size(); begin += logit.size()) {
    const std::size_t n = std::min(logit.size(), f.size() - begin);
    const ForecastsView part = f.slice(begin, n);
    cut_logits(part.p, std::span(logit).first(n));
    body(begin, part, std::span<const double>(logit).first(n));
  }
}

}  // namespace

Estimate cox_score(const ForecastsView& f) {
  ExactSum u0, u1, v00, v01, v11;
  bool some = false;
  each_block(f, [&](std::size_t, const ForecastsView& part, std::span<const double> logit) {
    some |= each_residual(part, [&](double e, double v, std::size_t i) {
      u0.add(e);
      u1.add(e * logit[i]);
      v00.add(v);
      v01.add(v * logit[i]);
      v11.add(v * logit[i] * logit[i]);
    });
  });
  if (!some) return Estimate::undefined(kNoVotes);
  return scaled(cox_from(v00.value(), v01.value(), v11.value(), u0.value(), u1.value()), votes_per_weight(f));
}

Estimate spiegelhalter_z(const ForecastsView& f) {
  ExactSum top, variance;
  const bool some = each_residual(f, [&](double e, double v, std::size_t i) {
    const double x = 1 - 2 * f.p[i];
    top.add(e * x);
    variance.add(v * x * x);
  });
  if (!some) return Estimate::undefined(kNoVotes);
  return scaled(z_from(top.value(), variance.value()), std::sqrt(votes_per_weight(f)));
}

ScoreTests::ScoreTests(const ForecastsView& f) : logit_(f.size()), votes_per_weight_(votes_per_weight(f)) {
  ExactSum v00, v01, v11, variance;
  each_block(f, [&](std::size_t begin, const ForecastsView& part, std::span<const double> logit) {
    std::copy(logit.begin(), logit.end(), logit_.begin() + static_cast<std::ptrdiff_t>(begin));
    some_ |= each_residual(part, [&](double, double v, std::size_t i) {
      const double x = 1 - 2 * part.p[i];
      v00.add(v);
      v01.add(v * logit[i]);
      v11.add(v * logit[i] * logit[i]);
      variance.add(v * x * x);
    });
  });
  v00_ = v00.value(), v01_ = v01.value(), v11_ = v11.value(), variance_ = variance.value();
}

Estimate ScoreTests::cox_score(const ForecastsView& f) const {
  if (!some_) return Estimate::undefined(kNoVotes);
  ExactSum u0, u1;
  each_residual(f, [&](double e, double, std::size_t i) {
    u0.add(e);
    u1.add(e * logit_[i]);
  });
  return scaled(cox_from(v00_, v01_, v11_, u0.value(), u1.value()), votes_per_weight_);
}

Estimate ScoreTests::spiegelhalter_z(const ForecastsView& f) const {
  if (!some_) return Estimate::undefined(kNoVotes);
  ExactSum top;
  each_residual(f, [&](double e, double, std::size_t i) { top.add(e * (1 - 2 * f.p[i])); });
  return scaled(z_from(top.value(), variance_), std::sqrt(votes_per_weight_));
}

}  // namespace plumb
