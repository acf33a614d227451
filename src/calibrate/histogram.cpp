// Histogram binning: equal-mass bins of the forecast, each mapped to its smoothed frequency.
#include "calibrate/rows.hpp"
#include "calibrate/tables.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

BinTable histogram_table(const ForecastsView& ascending, int bins) {
  BinTable t;
  const std::vector<double> starts = equal_mass_edges(ascending, bins).thresholds;  // least p of each bin
  std::int64_t i = 0;
  double last = 0;
  for (std::int64_t bin = 0; bin <= std::ssize(starts); ++bin) {
    double hits = 0, trials = 0;
    for (; i < std::ssize(ascending) && (bin == std::ssize(starts) || ascending.p[i] < starts[bin]); ++i) {
      const double mass = ascending.trials_of(i) * ascending.weight_of(i);
      if (!(mass > 0)) continue;
      hits += ascending.hits[i] * ascending.weight_of(i);
      trials += mass;
      last = ascending.p[i];
    }
    const double v = smoothed(hits, trials);
    t.values.push_back(v);
    t.loss += event_loss(hits, trials, v);
    if (bin < std::ssize(starts)) t.edges.push_back(border(last, starts[bin]));
  }
  return t;
}

Step fit_histogram(const Items& items, const FitOptions& options) {
  const std::int64_t bins = options.bins.value_or(kHistogramBins);
  Step step = fit_tables(items, options.threads, "histogram", [&](const ForecastsView& ascending) {
    return histogram_table(ascending, narrow<int>(bins));
  });
  step.fit.options.emplace_back("bins", bins);
  return step;
}

}  // namespace

constinit const CalibratorRow kHistogram{
    "histogram",   Tasks::any, Complexity::free, {"bins"},
    fit_histogram, map_tables, onnx_tables,      "the frequency of each of 15 equal-mass bins"};

}  // namespace plumb::detail
