// Kernel keys: bandwidths are found once per column on the full data, then the same plan serves every
// replicate.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/selection.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "plumb/metrics/kernel/beta_plan.hpp"
#include "plumb/metrics/kernel/ece_kde.hpp"
#include "plumb/metrics/kernel/kde_bandwidth.hpp"
#include "plumb/metrics/kernel/reliability_kde.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// One column's bandwidth and the work that depends on it alone.
struct KernelColumn {
  double bandwidth = 1;
  std::string why;  ///< when `auto` had nothing to go by
  std::shared_ptr<const BetaPlan> plan;
};

struct KernelPlan {
  std::optional<KernelColumn> event;
  std::vector<KernelColumn> by_class;
  std::vector<Forecasts> class_columns;  ///< kept for replicates of ece_kde_classwise; empty otherwise
  bool skip_classes = false;             ///< too many bandwidths to search unless asked by name
  double smooth_sigma = 0;               ///< bandwidth of the smoothed curve
};

/// `event`: the sorted event column when there is one; without it the bandwidth must have been given.
[[nodiscard]] KernelPlan kernel_plan(const Items& items, const Selection& selection,
                                     const EvaluateOptions& options, const ForecastsView* event);

/// ece_kde, ece_kde_l2, smece, mmce of an ascending column.
void kernel_scores(const ForecastsView& ascending, const KernelPlan& plan, const Selection& selection,
                   LeaveOut leave_out, int threads, Scores& out);
/// ece_kde, ece_kde_l2 and smece straight from the files: nothing of size N is held.
void kernel_stream_scores(const Items& items, const KernelPlan& plan, const Selection& selection,
                          LeaveOut leave_out, int threads, Scores& out);
/// ece_kde_classwise from one column per class; `per_class` receives the classes' values when given.
void kernel_class_scores(std::span<const ForecastsView> columns, const KernelPlan& plan, LeaveOut leave_out,
                         int threads, Scores& out, std::vector<std::optional<double>>* per_class = nullptr);
/// ece_kde_canonical; null above 50,000 items unless it was asked by name.
void kernel_canonical_score(const Items& items, const KernelPlan& plan, const EvaluateOptions& options,
                            Scores& out);

/// The boxes of the kernel sums at the accuracy that every command uses: what shards save can be merged.
[[nodiscard]] BetaBoxes kernel_boxes(double bandwidth);

/// The kernel regression curve of a column on an even grid, and the smoothed one.
[[nodiscard]] std::vector<CurvePoint> kde_curve(const ForecastPass& pass, const KernelPlan& plan);
[[nodiscard]] std::vector<CurvePoint> smoothed_curve(const ForecastsView& f, double sigma, int threads);

/// Rows: p, estimate, density, and with replicates (replicate x point; NaN where absent) band_low, band_high.
[[nodiscard]] Table curve_rows(const std::vector<CurvePoint>& curve,
                               const std::vector<std::vector<double>>& replicates, double level);

}  // namespace plumb
