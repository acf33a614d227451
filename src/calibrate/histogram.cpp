// Histogram binning: equal-mass cells of the forecast, each answered by its smoothed frequency.
#include "calibrate/tables.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"

namespace plumb {
namespace {

detail::CellTable table_of(const ForecastsView& ascending, int bins) {
  detail::CellTable t;
  const std::vector<double> starts = equal_mass_cells(ascending, bins).thresholds;  // least p of each cell
  std::size_t i = 0;
  double last = 0;
  for (std::size_t cell = 0; cell <= starts.size(); ++cell) {
    double hits = 0, trials = 0;
    for (; i < ascending.size() && (cell == starts.size() || ascending.p[i] < starts[cell]); ++i) {
      const double mass = ascending.trials_of(i) * ascending.weight_of(i);
      if (!(mass > 0)) continue;
      hits += ascending.hits[i] * ascending.weight_of(i);
      trials += mass;
      last = ascending.p[i];
    }
    const double v = detail::smoothed(hits, trials);
    t.values.push_back(v);
    t.loss += detail::event_loss(hits, trials, v);
    if (cell < starts.size()) t.edges.push_back(detail::border(last, starts[cell]));
  }
  return t;
}

}  // namespace

Step fit_histogram(const Items& items, const FitOptions& options) {
  check_bins(options.bins);
  Step step = detail::fit_tables(items, options.threads, "histogram", [&](const ForecastsView& ascending) {
    return table_of(ascending, options.bins);
  });
  step.fit.options.emplace_back("bins", std::int64_t{options.bins});
  return step;
}

detail::MapPtr detail::map_histogram(const Step& step, int classes) { return map_tables(step, classes); }

}  // namespace plumb
