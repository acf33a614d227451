// Weights that are whole multiples of the least one, but for rounding: votes can be counted by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb::detail {

/// The weight of which all others are multiples; 0: there is none.
[[nodiscard]] inline double unit_weight(const ForecastsView& f) {
  constexpr double kRounding = 0x1p-40;  // weights of k / 3 are multiples of 1/3 but for this
  if (!f.whole_counts) return 0;
  if (f.weight.empty()) return 1;
  double least = std::numeric_limits<double>::infinity();
  for (const double w : f.weight)
    if (w > 0) least = std::min(least, w);
  const bool multiples = std::all_of(f.weight.begin(), f.weight.end(), [&](double w) {
    const double times = w / least;
    return std::fabs(times - std::nearbyint(times)) <= kRounding * times;
  });
  return multiples ? least : 0;
}

/// estimator(f), or where weights are multiples of one estimator(the column with as many votes in their
/// place): a common factor of all weights then changes not a bit of a metric that is a ratio.
template <class Estimator>
auto by_unit_weight(const ForecastsView& f, Estimator estimator) {
  constexpr double kMostVotes = 0x1p20;  // of an item: sums of them are exact
  const double unit = f.weight.empty() ? 0 : unit_weight(f);
  if (!(unit > 0) || *std::max_element(f.weight.begin(), f.weight.end()) / unit > kMostVotes)
    return estimator(f);
  std::vector<double> hits(f.size()), trials(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double votes = std::nearbyint(f.weight[i] / unit);
    hits[i] = votes * f.hits[i];
    trials[i] = votes * f.trials_of(i);
  }
  ForecastsView counted = f;
  counted.hits = hits;
  counted.trials = trials;
  counted.weight = {};
  return estimator(counted);
}

}  // namespace plumb::detail
