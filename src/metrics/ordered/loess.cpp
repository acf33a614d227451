// Local quadratic regression (Cleveland and Devlin 1988), as loess(surface = "direct") of R computes it.
#include <algorithm>
#include <cmath>

#include "plumb/metrics/ordered/calibration_curve.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr double kLoessSpan = 0.75;

/// The least distance from x within which there is mass `enough`.
double loess_reach(const CurvePoints& c, double x, double enough) {
  auto right = std::lower_bound(c.p.begin(), c.p.end(), x) - c.p.begin();
  auto left = right;
  const auto n = std::ssize(c.p);
  double mass = 0, distance = 0;
  while (mass < enough && (left > 0 || right < n)) {
    const bool to_right = left == 0 || (right < n && c.p[right] - x <= x - c.p[left - 1]);
    const auto i = to_right ? right++ : --left;
    distance = std::fabs(c.p[i] - x);
    mass += c.mass[i];
  }
  return distance;
}

/// Weighted moments of u = (p - x) / h, and of u times the frequency.
struct LoessMoments {
  double s[5] = {}, t[3] = {};
};

LoessMoments loess_moments(const CurvePoints& c, double x, double h) {
  LoessMoments m;
  const auto begin = std::lower_bound(c.p.begin(), c.p.end(), x - h) - c.p.begin();
  for (auto i = begin; i < std::ssize(c.p) && c.p[i] <= x + h; ++i) {
    const double u = (c.p[i] - x) / h, rest = 1 - std::fabs(u * u * u);
    if (!(rest > 0)) continue;
    const double kernel = rest * rest * rest;
    double w = kernel * c.mass[i], wy = kernel * c.hits[i];
    for (int k = 0; k < 5; ++k) {
      m.s[k] += w;
      if (k < 3) m.t[k] += wy;
      w *= u;
      wy *= u;
    }
  }
  return m;
}

/// The fitted value at u = 0: quadratic, or of a lower degree where there are too few distinct forecasts.
double fitted_at_centre(const LoessMoments& m) {
  constexpr double kSingular = 1e-10;
  const auto& s = m.s;
  const auto& t = m.t;
  const double mean_u = s[1] / s[0], spread = s[2] - mean_u * s[1];
  if (!(spread > kSingular * s[0])) return t[0] / s[0];
  // Of u^2 what a line does not explain: u^2 = a + b u + rest.
  const double b = (s[3] - mean_u * s[2]) / spread, a = (s[2] - b * s[1]) / s[0];
  const double rest = s[4] - a * s[2] - b * s[3];
  const double slope = (t[1] - mean_u * t[0]) / spread, line = t[0] / s[0] - slope * mean_u;
  if (!(rest > kSingular * s[0])) return line;
  const double curvature = (t[2] - a * t[0] - b * t[1]) / rest;
  return line - curvature * a;
}

}  // namespace

CurveFit loess_curve(const CurvePoints& c, std::span<const double> at, int threads) {
  CurveFit out;
  out.value.resize(at.size());
  double total = 0;
  for (const double m : c.mass) total += m;
  // The share in whole votes, as R counts them; a vote of weighted data has the mean weight.
  constexpr double kRounded = 1 - 1e-12;
  const double enough = std::floor(kLoessSpan * c.votes + 1e-5) * (total / c.votes) * kRounded;
  parallel_blocks(std::ssize(at), 64, threads, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      double h = loess_reach(c, at[i], enough);
      if (!(h > 0)) h = 0x1p-60;  // most votes share this forecast: their frequency
      LoessMoments m = loess_moments(c, at[i], h);
      // Between forecasts, all within reach may lie at its end.
      if (!(m.s[0] > 0)) m = loess_moments(c, at[i], h * (1 + 0x1p-20));
      out.value[i] = std::clamp(fitted_at_centre(m), 0.0, 1.0);
    }
  });
  return out;
}

}  // namespace plumb
