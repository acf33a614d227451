// Metrics that need an order over votes, read off a ladder: of a case, of all cases, of merged states.
#pragma once

#include "evaluate/kernel.hpp"
#include "evaluate/products.hpp"
#include "evaluate/selection.hpp"
#include "plumb/metrics/ordered/ladder.hpp"
#include "plumb/metrics/ordered/ladder_bounds.hpp"

namespace plumb::detail {

/// Read off the ladder.
inline constexpr ProductSet kByLadder{Product::event_column, Product::confidence_column, Product::kde,
                                      Product::smooth};

/// The metrics that a ladder gives; without those that need each item by itself.
[[nodiscard]] Selection ladder_part(const Selection& selection, const EvaluateOptions& options);
[[nodiscard]] Ladder ladder_of(const ForecastPass& pass);  ///< votes of weight one

struct LadderReading {
  Forecasts event;    ///< its column
  KernelPlan kernel;  ///< of the kernel metrics
  Scores scores;      ///< without those about distinct forecasts, where it is on the grid
};
/// `part`: of ladder_part().
[[nodiscard]] LadderReading read_ladder(const Ladder& ladder, const Selection& part,
                                        const EvaluateOptions& options);

/// The same off another column of the ladder's votes, on a coarser grid.
[[nodiscard]] LadderReading read_column(const ItemKinds& kinds, Forecasts column, bool exact,
                                        const Selection& part, const EvaluateOptions& options);

/// The metrics that depend on distinct forecasts, which a grid does not have.
[[nodiscard]] bool needs_distinct(const MetricRow& row);

/// Rows: key, bound.
[[nodiscard]] Table bound_rows(const KeyBounds& bounds);

/// Whether the kernel errors of three classes or more are read off a ladder of each class.
[[nodiscard]] bool reads_classes(const Selection& selection, const EvaluateOptions& options, int classes);
[[nodiscard]] ClassKde read_class_ladders(std::span<const Ladder> classes, const EvaluateOptions& options);

/// Settings and the table of bounds.
/// Which metrics were read off a ladder, and how.
struct LadderKeys {
  const Selection& part;  ///< of ladder_part()
  const KernelPlan& kernel;
  const Scores& scores;
};
/// The step and, on the grid, how far each of these values can be off (null where no bound is known).
void describe_ladder(const Ladder& ladder, const LadderKeys& read, const EvaluateOptions& options,
                     Result& result);

/// Adds the scores, with settings and tables that say how they were computed.
/// `curve`: also the kernel curve, unless the caller has a better one.
void add_ladder(const Ladder& ladder, const Selection& selection, const EvaluateOptions& options, bool curve,
                Scores& scores, Result& result);

}  // namespace plumb::detail
