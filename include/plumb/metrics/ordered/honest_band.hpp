// A band for the true frequency of the event as a function of the forecast that holds at all forecasts at
// once, for any number of items, if the frequency does not fall as the forecast rises.
#pragma once

#include <cstdint>
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
/// al. 2023). `dependence`: n is the weight of the votes over it (vote_dependence()); 1 for single votes
/// without weights. `ascending`: p in ascending order. O(N) time. Empty without votes.
[[nodiscard]] HonestBand honest_band(const ForecastsView& ascending, std::span<const double> at, double level,
                                     double dependence = 1);

/// How many votes (in weight) count as one independent vote: the squared residuals of whole units from the
/// isotonic fit over the variance c (1 - c) of the votes, and no less than without dependence. `unit` of each
/// row, 0 to units - 1; empty: rows are units. 1 for single votes without weights and groups, but for chance.
[[nodiscard]] double vote_dependence(const ForecastsView& ascending, std::span<const std::uint32_t> unit,
                                     std::size_t units);

}  // namespace plumb
