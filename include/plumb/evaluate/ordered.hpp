// Classes with an order (grades, stages): ranked probability score, earth mover's losses against the votes,
// and calibration at every threshold between two classes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb {

/// The event that the class is above `cls`: the binary task of one threshold.
struct OrderedThreshold {
  int cls = 0;
  double forecast = 0, observed = 0;  ///< mean probability of the event, share of votes; votes weigh alike
  MetricResults metrics;
  Table reliability;
};

/// With F_c the forecast and H_c the share of votes for a class of at most c, summed over the K - 1
/// thresholds c:
///   rps                 mean over votes of (F_c - [vote <= c])^2, over K - 1 (Epstein 1969)
///   emd                 mean over items of |F_c - H_c|: by how many classes probability has to be moved on
///                       average; biased upward by few votes
///   emd_squared_plugin  mean over items of (F_c - H_c)^2; biased upward by few votes
///   emd_squared         the same less the noise of the votes, H_c (1 - H_c)/(n - 1), on items of two votes
///   or
///                       more: unbiased for the distance from the votes of a large crowd
///   ece_thresholds      mean over thresholds of the ECE; no interval
/// Intervals are normal, from the variance between items or groups.
struct OrderedResult {
  std::int64_t items = 0, votes = 0;  ///< with votes and positive weight
  MetricResults metrics;
  std::vector<OrderedThreshold> thresholds;  ///< K - 1 of them
};

/// InputError for fewer than three classes. One evaluation for each threshold, with the replicates of
/// `options`.
/// `sums`, when given, receives what a state keeps.
[[nodiscard]] OrderedResult evaluate_ordered(const Items& items, const EvaluateOptions& options,
                                             OrderedSums* sums = nullptr);

void merge(OrderedSums& into, const OrderedSums& from);
/// Of the thresholds those metrics that are read off a reliability table, without intervals.
[[nodiscard]] OrderedResult finish(const OrderedSums& sums);

}  // namespace plumb
