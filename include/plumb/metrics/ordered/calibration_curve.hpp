// A smooth calibration curve of the event on the forecast, and the summary of its distance from the diagonal
// (Harrell 2001; Austin and Steyerberg 2019).
#pragma once

#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

/// loess: local quadratic regression, tricube weights, the nearest 75% of the votes. rcs: logistic regression
/// on a restricted cubic spline of logit p with five knots. kernel: the Beta kernel of `ece_kde`.
enum class CurveKind { loess, rcs, kernel };

/// Distinct forecasts, or bins of neighbouring ones; ascending p.
struct CurvePoints {
  std::vector<double> p, mass, hits;
  double votes = 0;  ///< how many votes there are, whatever their weights
  [[nodiscard]] std::size_t size() const { return p.size(); }
};

inline constexpr std::size_t kMostCurvePoints = 10'000;
inline constexpr int kCurveCells = 1'000;
/// The distinct forecasts; beyond kMostCurvePoints of them, kCurveCells cells of equal mass at their means.
[[nodiscard]] CurvePoints curve_points(const ForecastsView& ascending);

/// The curve at each of `at`, within [0, 1]; empty with a reason in `why`.
struct CurveFit {
  std::vector<double> value;
  std::string why;
};
[[nodiscard]] CurveFit loess_curve(const CurvePoints& points, std::span<const double> at, int threads);
/// `clip` as in calibration_line: forecasts of 0 and 1 have no log-odds.
[[nodiscard]] CurveFit rcs_curve(const CurvePoints& points, std::span<const double> at, double clip);

struct CurveErrors {
  Estimate ici;       ///< mean over votes of |curve(p) - p|
  Estimate e50, e90;  ///< its quantiles: the least value that this share of the votes does not exceed
  Estimate emax;      ///< its maximum
};
/// `fit`: the curve at points.p. Between cells the curve is linear.
[[nodiscard]] CurveErrors curve_errors(const ForecastsView& ascending, const CurvePoints& points,
                                       const CurveFit& fit);

}  // namespace plumb
