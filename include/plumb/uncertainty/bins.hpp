// Bins of an uncertainty measure: the histogram (w, p) of Finlay 2022, definition 1, with its counts. Of
// equal mass, or with equally many answers of the rarer outcome.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb {

struct UncertaintyBin {
  double low = 0, high = 0;  ///< least and largest value of the measure in it
  std::int64_t items = 0, votes = 0;
  double mass = 0;                 ///< sum of w n: the bin's weight
  double hits = 0;                 ///< sum of w h, h the votes that agree with the prediction
  std::size_t begin = 0, end = 0;  ///< where its items stand in the column it was made from
  /// Standard error of the accuracy, by leaving out one unit after another; absent with one unit alone.
  std::optional<double> error;
  [[nodiscard]] double accuracy() const { return hits / mass; }
  [[nodiscard]] bool one_sided() const { return !(hits > 0 && hits < mass); }
  /// The error relative to the share of the rarer outcome, right or wrong: what the odds inherit.
  /// Absent for a one-sided bin.
  [[nodiscard]] std::optional<double> relative_error() const {
    if (!error || one_sided()) return std::nullopt;
    return *error * mass / std::min(hits, mass - hits);
  }
  /// The two side by side; `error` is not known for the sum.
  void join(const UncertaintyBin& other);
};

/// `confidence`: a column whose p is minus the measure, in ascending order. An item of measure y lies in bin
/// min(B-1, floor(B * share of mass with a measure < y)), so that equal values stay together; empty bins
/// vanish. In ascending order of the measure: the most certain first. O(N).
[[nodiscard]] std::vector<UncertaintyBin> equal_mass_bins(const ForecastsView& confidence, int bins);

/// The rarer outcome, right or wrong, which defines the bins of the odds ratio.
struct RarerOutcome {
  bool right = false;      ///< right answers are the rarer ones (equal numbers: wrong answers)
  std::int64_t votes = 0;  ///< W: its votes, not weighted, over the items of positive weight
  int bins = 0;            ///< B = min(100, floor(W/25))
};
inline constexpr int kMostOddsBins = 100;
inline constexpr int kVotesPerOddsBin = 25;
[[nodiscard]] RarerOutcome rarer_outcome(const ForecastsView& confidence);

/// Bins that share out the rarer outcome: an item of measure y lies in bin min(B-1, floor(B * share of the
/// rarer outcome's mass with a measure < y)), so that each bin ends with a (W/B)-th value of the rarer
/// outcome and equal values stay together. The odds of a bin of 25 or more rare answers are off by about a
/// fifth, for any accuracy of the bin; with equal-mass bins, the odds of the most certain bins depend on one
/// or two answers. `rarer.bins` >= 1. O(N).
[[nodiscard]] std::vector<UncertaintyBin> rarer_outcome_bins(const ForecastsView& confidence,
                                                             const RarerOutcome& rarer);

/// Fills `error`. `unit`: the resampling unit's number of each item of the column (groups), below `units`;
/// empty: each item is its own. With n units of mass m_u and hits h_u in the bin, M and p those of the bin:
///   error^2 = n / (n - 1) sum_u (h_u - p m_u)^2 / M^2,
/// the variance of the leave-one-unit-out accuracies in closed form; p (1-p) / (n-1) for single votes. O(N).
void add_errors(std::vector<UncertaintyBin>& bins, const ForecastsView& confidence,
                std::span<const std::uint32_t> unit, std::size_t units);

/// Merges neighbours, from the most certain on, until each relative error is at most `bound`; what is left at
/// the end joins the last. One bin remains if no split satisfies the bound. Errors are filled.
[[nodiscard]] std::vector<UncertaintyBin> coarsen(const std::vector<UncertaintyBin>& bins,
                                                  const ForecastsView& confidence,
                                                  std::span<const std::uint32_t> unit, std::size_t units,
                                                  double bound);

}  // namespace plumb
