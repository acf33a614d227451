// Two tests of calibration as numbers: the score form of Cox's joint test (Cox 1958) and Spiegelhalter's z
// (Spiegelhalter 1986). Their p-values come from the null draws: with groups or several votes per item the
// chi-square and normal tables are wrong.
#pragma once

#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/ordered/calibration_line.hpp"

namespace plumb {

/// Log-odds are cut at this size.
inline constexpr double kMostLogit = 7;

/// U' V^-1 U, the score statistic of intercept 0 and slope 1 in logit P(y) = a + b logit p: U = sum w (h -
/// n p) x, V = sum w n p (1 - p) x x', x = (1, logit p).
/// Where all p are equal the slope is left out. Linear, in any order.
[[nodiscard]] Estimate cox_score(const ForecastsView& f);

/// U and V of that statistic, and votes over their weight.
struct LineScores {
  double u0 = 0, u1 = 0, v00 = 0, v01 = 0, v11 = 0, votes_per_weight = 1;
  bool some = false;  ///< there are votes
};
[[nodiscard]] LineScores line_scores(const ForecastsView& f, int threads = 1);
[[nodiscard]] Estimate cox_score(const LineScores& s);

/// The first Newton step from intercept 0 and slope 1 towards the line that fits best: U_0 / V_00, and 1 plus
/// the slope's score beside the intercept's over its variance. On draws with the same forecasts these rank as
/// the score statistics of Rao's tests of the intercept (slope 1) and of the slope (any intercept) do.
/// A slope of 1 where all p are equal.
[[nodiscard]] CalibrationLine first_step(const LineScores& s);

/// sum w (h - n p)(1 - 2p) / sqrt(sum w n p (1 - p)(1 - 2p)^2): above 0 the Brier score is larger than the
/// forecasts imply. Linear, in any order.
[[nodiscard]] Estimate spiegelhalter_z(const ForecastsView& f, int threads = 1);

/// Both for draws of outcomes on one column: what depends on the forecasts alone is kept. The bits are those
/// of the functions. 8 bytes per forecast.
class ScoreTests {
 public:
  explicit ScoreTests(const ForecastsView& f);  ///< its hits are not read
  /// `f` is the same column with other hits.
  [[nodiscard]] LineScores line_scores(const ForecastsView& f) const;
  [[nodiscard]] Estimate cox_score(const ForecastsView& f) const { return plumb::cox_score(line_scores(f)); }
  [[nodiscard]] Estimate spiegelhalter_z(const ForecastsView& f) const;

 private:
  std::vector<double> logit_;
  bool some_ = false;
  double v00_ = 0, v01_ = 0, v11_ = 0, variance_ = 0, votes_per_weight_ = 1;
};

}  // namespace plumb
