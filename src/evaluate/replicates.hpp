// Replicates: the same estimators under bootstrap weights or redrawn outcomes. No estimator has a second copy
// here.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evaluate/ordered.hpp"
#include "evaluate/stream.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb {

/// Values of each key over the replicates that had one.
using Replicates = std::map<std::string, std::vector<double>, std::less<>>;

struct ReplicateRun {
  const Items& items;
  const Units& units;
  const CellPlan& plan;
  const OrderedColumns* columns;  ///< null when no ordered key is asked
  const KernelPlan& kernel;
  const EvaluateOptions& options;
  std::function<void(double)> progress;  ///< share of this run
};

struct BootstrapReplicates {
  Replicates keys;
  /// Replicate x grid point of the curves (NaN where absent); empty when the key is not asked.
  std::vector<std::vector<double>> kde_curve, smooth_curve;
};
/// Poisson(1) weights on units.
[[nodiscard]] BootstrapReplicates bootstrap(const ReplicateRun& run, const Selection& selection);

struct NullReplicates {
  Replicates keys;
  /// For each cell of the event's table (empty without event keys): mean_y in each replicate.
  std::vector<std::vector<double>> event_mean_y;
};
/// Outcomes of a calibrated model.
[[nodiscard]] NullReplicates null_replicates(const ReplicateRun& run, const Selection& selection,
                                             NullKind kind);

}  // namespace plumb
