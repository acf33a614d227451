// Subgroup audit: every slice and intersection as a test set of its own and against all other items.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/result.hpp"

namespace plumb {

inline constexpr int kAuditReplicates = 200;

struct AuditOptions {
  EvaluateOptions evaluate = {.bootstrap = kAuditReplicates};
  int cross = 1;                ///< intersections of up to so many ways to slice are slices, too
  std::int64_t min_items = 50;  ///< a smaller slice has values, and neither intervals nor a rank
  std::string rank = "ece";     ///< the metric that slices are ranked by
};

/// `items.by` are the ways to slice. The result of evaluate() on all items, with `per_group` by slice, and
/// the tables
///   audit        metric, by, slice, items, rank (worst first, small slices last), value, rest (the other
///                items), difference (value - rest) with low and high, which hold for all slices of a metric
///                at once, clear (0 lies outside)
///   audit_ranks  rank, by, slice, items, small
/// Metrics with an interval from replicates have differences, and `gap`, the frequency of the event minus the
/// mean forecast; plug-in errors have none, since their bias depends on the size of the slice. Without
/// `metrics`: accuracy, agreement, nll, brier, oe_ratio, auroc and the calibration errors.
/// Cost: that of evaluate(), of the slices as test sets, and `bootstrap` passes for each way to slice; for
/// metrics other than these, 2 `bootstrap` passes over all items for each slice.
/// InputError without a way to slice, for cross above their number, or fewer than 20 replicates.
[[nodiscard]] Result audit(const Items& items, const AuditOptions& options = {});

}  // namespace plumb
