// Kernel keys: bandwidths are found once per column on the full data, then the same plan serves every draw.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/product_set.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "plumb/metrics/kernel/beta_plan.hpp"
#include "plumb/metrics/kernel/ece_kde.hpp"
#include "plumb/metrics/kernel/item_kinds.hpp"
#include "plumb/metrics/kernel/kde_bandwidth.hpp"
#include "plumb/metrics/kernel/reliability_kde.hpp"
#include "plumb/metrics/kernel/vote_bandwidth.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// One column's bandwidth and the work that depends on it alone.
struct KernelColumn {
  double bandwidth = 1;
  double curve_bandwidth = 1;  ///< of the line, which is to be good at every p
  std::string why;             ///< when the data did not determine it
  Bandwidth::Bound bound = Bandwidth::Bound::none;
  std::shared_ptr<const BetaPlan> plan;
};

struct KernelPlan {
  std::optional<KernelColumn> event;
  std::vector<KernelColumn> by_class;
  std::vector<Forecasts> class_columns;  ///< kept for draws of ece_kde_classwise; empty otherwise
  bool skip_classes = false;             ///< too many bandwidths to search unless requested by name
  bool skip_canonical = false;           ///< too many pairs of items unless requested by name
};

/// `event`: the sorted event column when there is one; without it the bandwidth must have been given.
[[nodiscard]] KernelPlan kernel_plan(const Items& items, ProductSet products, const EvaluateOptions& options,
                                     const ForecastsView* event);
/// Of a ladder's column; its items, not its rungs, choose the bandwidth.
[[nodiscard]] KernelPlan kernel_plan(const ItemKinds& kinds, ProductSet products,
                                     const EvaluateOptions& options, const ForecastsView& column);

/// Too many classes to search a bandwidth for each, unless the metric was requested by name.
[[nodiscard]] bool skips_classes(const EvaluateOptions& options, int classes);
/// Too many pairs of items, unless the metric was requested by name.
[[nodiscard]] bool skips_canonical(const EvaluateOptions& options, std::int64_t items);

struct ClassKde {
  Estimate mean;
  std::vector<std::optional<double>> by_class;
};
/// From one column per class.
[[nodiscard]] ClassKde kernel_class_errors(std::span<const ForecastsView> columns, const KernelPlan& plan,
                                           LeaveOut leave_out, int threads);
/// Of two classes or more, whose errors are known.
[[nodiscard]] ClassKde mean_class_error(std::span<const Estimate> by_class);
[[nodiscard]] Estimate kernel_canonical_error(const Items& items, const KernelPlan& plan, LeaveOut leave_out,
                                              int threads);

/// The boxes of the kernel sums at the accuracy that every command uses: what shards save can be merged.
[[nodiscard]] BetaBoxes kernel_boxes(double bandwidth);

/// The kernel regression curve of a column on an even grid, and the smoothed one.
[[nodiscard]] std::vector<CurvePoint> kde_curve(const ForecastPass& pass, const KernelPlan& plan);
[[nodiscard]] std::vector<CurvePoint> smoothed_curve(const MomentValues& moments, double sigma);

/// Rows: p, estimate, density, and with replicates (replicate x point; NaN where absent) band_low, band_high.
[[nodiscard]] Table curve_rows(const std::vector<CurvePoint>& curve,
                               const std::vector<std::vector<double>>& replicates, double level);

}  // namespace plumb::detail
