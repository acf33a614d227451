// Thresholds of the measure for target accuracies (Finlay 2022, tables 3 to 5), and the
// accuracy that remains when the most uncertain items are deferred to a person.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb {

struct Threshold {
  double target = 0;
  std::optional<double> value;  ///< absent: no cut reaches the target
  double share = 0;             ///< of the mass with previous <= measure < value
  std::optional<double> accuracy;
  double kept_share = 0;  ///< of the mass with measure < value: what is kept when the cut is made here
  std::optional<double> kept_accuracy;
};

struct Thresholds {
  std::vector<Threshold> cuts;
  double rest_share = 0;
  std::optional<double> rest_accuracy;  ///< absent when nothing is left
};

/// `confidence`: a column whose p is minus the measure, ascending. Threshold j is the largest value v for
/// which {previous <= measure < v} has an accuracy of at least targets[j], among the values of the measure
/// and the next number above the largest, which takes all. A target that no cut reaches leaves `previous`
/// where it is. O(N) per target.
[[nodiscard]] Thresholds find_thresholds(const ForecastsView& confidence, std::span<const double> targets);

/// The smallest number above y, so that "measure < it" takes y too. Above the largest number there is none:
/// then the largest stands for {measure < infinity}.
[[nodiscard]] double value_above(double y);

struct DeferralPoint {
  double handed_over = 0;  ///< share of the mass, the most uncertain first
  double threshold = 0;    ///< items of a larger measure are deferred
  double accuracy = 0;     ///< of the rest
};
/// Starting with nothing deferred; the points of the risk-coverage curve, about `points` of them.
[[nodiscard]] std::vector<DeferralPoint> deferral(const ForecastsView& confidence, int points);

}  // namespace plumb
