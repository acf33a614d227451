// A band for the true frequency of the event as a function of the forecast that holds at all forecasts at
// once, for any number of items, if the frequency does not fall as the forecast rises.
#pragma once

#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb {

struct HonestBand {
  std::vector<double> low, high;
};

/// At each of `at`, ascending. The votes are cut into at most 30 blocks of neighbouring forecasts; of each
/// run of blocks the frequency is bounded by Chernoff's inequality, n KL(observed, true) <= log(1/alpha),
/// with alpha = (1 - level)/(2 * number of runs). The frequency at a forecast is at most the upper bound of
/// every run above it, and at least the lower bound of every run below (Yang and Barber 2019; Dimitriadis et
/// al. 2023). Votes must be independent: one for each item, no groups, no weights. `ascending`: p in
/// ascending order. O(N) time. Empty without votes.
[[nodiscard]] HonestBand honest_band(const ForecastsView& ascending, std::span<const double> at,
                                     double level);

}  // namespace plumb
