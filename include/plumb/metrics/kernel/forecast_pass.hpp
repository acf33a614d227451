// A pass over a column of forecasts that need not be in memory. Kernel estimators need two
// (rarely four) passes.
#pragma once

#include <functional>

#include "plumb/data/forecasts.hpp"

namespace plumb {

/// run(body) calls body(worker, block) for every block of the column, at most `workers` calls at a time; no
/// two concurrent calls share a worker's number. It can be run again and then yields the same forecasts.
struct ForecastPass {
  using Body = std::function<void(int worker, const ForecastsView& block)>;
  int workers = 1;
  std::function<void(const Body&)> run;
};

/// A column in memory; the spans of `f` must outlive the pass.
[[nodiscard]] ForecastPass pass_over(const ForecastsView& f, int threads);
/// Items as they stream from their files; `items` must outlive the pass.
[[nodiscard]] ForecastPass pass_over(const Items& items, Event event, int threads);

}  // namespace plumb
