// Calibrators that are a table for each class: p falls into a bin, the bin's value is the answer. One table
// when the task is binary; otherwise one against the rest for each class, and rows are divided by their sum.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/rows.hpp"
#include "plumb/data/forecasts.hpp"

namespace plumb::detail {

/// p lies in bin number #{edges <= p}; values.size() == edges.size() + 1.
struct BinTable {
  std::vector<double> edges, values;
  double loss = 0;  ///< sum over votes of the event's log-loss on the fitting data
};

/// (hits + 1/2) / (n + 1): never 0 or 1, so that rows have a sum and log-loss is finite.
[[nodiscard]] inline double smoothed(double hits, double trials) { return (hits + 0.5) / (trials + 1); }
/// Half way between two forecasts, above the first: a forecast that comes back with other last bits stays in
/// its bin. The rounded middle of two neighbouring doubles may be the lower one; then the upper is taken.
[[nodiscard]] inline double border(double before, double after) {
  const double middle = before + (after - before) / 2;
  return middle > before ? middle : after;
}
/// -hits log v - (trials - hits) log(1 - v).
[[nodiscard]] double event_loss(double hits, double trials, double v);

using FitTable = std::function<BinTable(const ForecastsView& ascending)>;
/// Fits each class on its column in ascending order of p and fills parameters and report.
[[nodiscard]] Step fit_tables(const Items& items, int threads, const std::string& method,
                              const FitTable& fit);
/// The step of such tables; `mass` is the weight of all votes. Items and votes are left to the caller.
[[nodiscard]] Step step_of_tables(const std::string& method, const std::vector<BinTable>& tables,
                                  double mass);
/// The table of `isotonic`.
[[nodiscard]] BinTable isotonic_table(const ForecastsView& ascending);
/// Parameters: cells (number of bins by class), edges, values (one class after the other).
[[nodiscard]] MapPtr map_tables(const Step& step, int classes);
void onnx_tables(OnnxFlow& flow, const Step& step);

}  // namespace plumb::detail
