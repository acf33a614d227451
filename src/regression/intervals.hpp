// Intervals of a regression's metrics, and the verdict on its standard deviations.
#pragma once

#include <span>

#include "plumb/regression/evaluate.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {

/// What the replicates were drawn from.
struct RegressionUnits {
  double units;      ///< groups if given, otherwise items
  double effective;  ///< (sum w)^2 / sum w^2 over items
  bool single;       ///< a unit is one z-score: no groups, one output
};
[[nodiscard]] RegressionUnits regression_sample(const RegressionItems& items);

/// The interval of a mean square of z-scores: chi-square with nu = 2/cv^2 degrees of freedom, cv the relative
/// standard deviation of the replicates. For Gaussian errors cv^2 = 2/n and the interval is exact. Of single
/// z-scores cv^2 is shrunk towards 2/n, with the weight of 20 items, since few squares tell little about
/// their own spread; of groups it is widened as Student's t is.
[[nodiscard]] Bounds mean_square_bounds(double value, std::span<const double> replicates,
                                        const RegressionUnits& sample, double level);
/// Degrees of freedom of the estimated spread.
[[nodiscard]] double variance_degrees(const RegressionUnits& sample);
/// Student's interval of a mean, moved by the skewness of its replicates:
/// Hall's expansion (Hall 1992, eq. 3.6).
[[nodiscard]] Bounds mean_bounds(double value, std::span<const double> replicates,
                                 const RegressionUnits& sample, double level);
/// Wilson's interval with the number of independent targets that the spread of the replicates tells.
[[nodiscard]] Bounds coverage_bounds(double share, std::span<const double> replicates,
                                     const RegressionUnits& sample, double level);

/// Adds what the metric's row asks for, or why there is none.
void add_regression_interval(const MetricRow& row, std::vector<double> replicates,
                             const RegressionUnits& sample, double level, MetricResult& metric);

/// From sqrt(zms), the errors over the predicted standard deviations, and its interval against
/// [1/tolerance, tolerance].
[[nodiscard]] Verdict judge_deviations(const MetricResult& zms, const RegressionUnits& sample, bool grouped,
                                       double tolerance);

}  // namespace plumb::detail
