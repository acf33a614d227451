// Logistic regression on a restricted cubic spline of logit p: cubic between the knots, linear beyond them
// (Stone and Koo 1985; Harrell 2001).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "plumb/metrics/ordered/calibration_curve.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

constexpr std::size_t kKnots = 5, kSplineTerms = kKnots;  // intercept, x, and three cubic terms
constexpr std::array<double, kKnots> kKnotShares{0.05, 0.275, 0.5, 0.725, 0.95};  // Harrell 2001, table 2.3
using SplineRow = std::array<double, kSplineTerms>;
using SplineMatrix = std::array<SplineRow, kSplineTerms>;

double positive_cube(double x) { return x > 0 ? x * x * x : 0; }

SplineRow spline_row(double x, const std::array<double, kKnots>& t) {
  const double last = t[kKnots - 1], before = t[kKnots - 2], width = last - t[0];
  SplineRow out{1, x};
  for (std::size_t j = 0; j + 2 < kKnots; ++j)
    out[j + 2] = (positive_cube(x - t[j]) - positive_cube(x - before) * (last - t[j]) / (last - before) +
                  positive_cube(x - last) * (before - t[j]) / (last - before)) /
                 (width * width);
  return out;
}

/// Solves m x = v by Cholesky's decomposition; absent unless m is positive definite.
std::optional<SplineRow> solve_spline(SplineMatrix m, SplineRow v) {
  for (std::size_t i = 0; i < kSplineTerms; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = m[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= m[i][k] * m[j][k];
      if (i == j) {
        if (!(sum > 1e-13 * m[i][i])) return std::nullopt;
        m[i][i] = std::sqrt(sum);
      } else {
        m[i][j] = sum / m[j][j];
      }
    }
    for (std::size_t k = 0; k < i; ++k) v[i] -= m[i][k] * v[k];
    v[i] /= m[i][i];
  }
  for (std::size_t i = kSplineTerms; i-- > 0;) {
    for (std::size_t k = i + 1; k < kSplineTerms; ++k) v[i] -= m[k][i] * v[k];
    v[i] /= m[i][i];
  }
  return v;
}

double spline_value(const SplineRow& a, const SplineRow& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kSplineTerms; ++k) sum += a[k] * b[k];
  return sum;
}

double logistic_of(double eta) { return 1 / (1 + exp_portable(-std::clamp(eta, -700.0, 700.0))); }

/// Log-likelihood per vote, its gradient and minus its second derivatives.
struct SplineLikelihood {
  double value = 0;
  SplineRow gradient{};
  SplineMatrix curvature{};
};

SplineLikelihood spline_likelihood(const CurvePoints& c, const std::vector<SplineRow>& x, double total,
                                   const SplineRow& beta) {
  SplineLikelihood out;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double eta = spline_value(x[i], beta), q = logistic_of(eta);
    // log q = eta - log(1 + e^eta); stable on either side.
    const double softplus = std::max(eta, 0.0) + log_portable(1 + exp_portable(-std::fabs(eta)));
    out.value += (c.hits[i] * eta - c.mass[i] * softplus) / total;
    const double residual = (c.hits[i] - c.mass[i] * q) / total, v = c.mass[i] * q * (1 - q) / total;
    for (std::size_t a = 0; a < kSplineTerms; ++a) {
      out.gradient[a] += residual * x[i][a];
      for (std::size_t b = 0; b <= a; ++b) out.curvature[a][b] += v * x[i][a] * x[i][b];
    }
  }
  return out;
}

std::optional<SplineRow> fit_spline(const CurvePoints& c, const std::vector<SplineRow>& x, double total) {
  constexpr int kIterations = 100;
  SplineRow beta{};
  SplineLikelihood at = spline_likelihood(c, x, total, beta);
  for (int i = 0; i < kIterations; ++i) {
    const std::optional<SplineRow> step = solve_spline(at.curvature, at.gradient);
    if (!step) return std::nullopt;
    const double gain = spline_value(*step, at.gradient);
    double share = 1;
    SplineRow next;
    SplineLikelihood there;
    do {
      for (std::size_t k = 0; k < kSplineTerms; ++k) next[k] = beta[k] + share * (*step)[k];
      there = spline_likelihood(c, x, total, next);
      share /= 2;
    } while (!(there.value >= at.value - 1e-15) && share > 1e-9);
    beta = next;
    at = there;
    if (gain < 1e-20) return beta;
  }
  return std::nullopt;
}

/// Harrell's knots are quantiles of the forecasts: the least that this share of the mass does not exceed.
std::array<double, kKnots> spline_knots(const CurvePoints& c, const std::vector<double>& x, double total) {
  std::array<double, kKnots> out{};
  double below = 0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < c.size() && k < kKnots; ++i) {
    below += c.mass[i];
    while (k < kKnots && below >= kKnotShares[k] * total * (1 - 1e-12)) out[k++] = x[i];
  }
  return out;
}

}  // namespace

CurveFit rcs_curve(const CurvePoints& c, std::span<const double> at, double clip) {
  const auto none = [](std::string why) { return CurveFit{{}, std::move(why)}; };
  const auto logit = [clip](double p) {
    return log_portable(std::clamp(p, clip, 1.0)) - log_portable(std::clamp(1 - p, clip, 1.0));
  };
  std::vector<double> x;
  double total = 0, hits = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!(clip > 0) && (c.p[i] <= 0 || c.p[i] >= 1))
      return none("forecasts of 0 or 1 have no finite log-odds; ⟦clip⟧ keeps them away from 0 and 1");
    x.push_back(logit(c.p[i]));
    total += c.mass[i];
    hits += c.hits[i];
  }
  if (!(hits > 0 && hits < total)) return none("every vote is for one outcome");
  const auto t = spline_knots(c, x, total);
  for (std::size_t k = 1; k < kKnots; ++k)
    if (!(t[k] > t[k - 1]))
      return none("the forecasts take too few values for a spline with five knots; use ⟦curve⟧ loess");
  std::vector<SplineRow> rows;
  for (const double v : x) rows.push_back(spline_row(v, t));
  const std::optional<SplineRow> beta = fit_spline(c, rows, total);
  if (!beta) return none("the logistic fit of the spline did not converge");
  CurveFit out;
  for (const double p : at) out.value.push_back(logistic_of(spline_value(spline_row(logit(p), t), *beta)));
  return out;
}

}  // namespace plumb
