// Keys that need the data in order: sorted once, then one linear walk for the value and for each replicate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluate/kernel.hpp"
#include "evaluate/selection.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"

namespace plumb {

struct OrderedColumns {
  SortedForecasts event;
  SortedForecasts top;  ///< empty when it is the event's column
  OrderedColumns(const Items& items, const Selection& passes, int threads);
};

struct OrderedViews {
  ForecastsView event, top;
};

/// The selected ordered keys, and the kernel keys of the event, of the given views.
void ordered_scores(const OrderedViews& views, const Selection& selection, const EvaluateOptions& options,
                    const KernelPlan& kernel, int threads, Scores& out);

}  // namespace plumb
