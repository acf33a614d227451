#include "evaluate/intervals.hpp"

#include <cmath>

#include "plumb/resample/interval.hpp"

namespace plumb::detail {

Replicates by_key(const std::vector<Drawn>& draws) {
  Replicates out;
  for (const Drawn& d : draws)
    for (const auto& [key, estimate] : d.scores)
      if (estimate) out[key].push_back(*estimate.value);
  return out;
}

namespace {

/// Of a score that lies on either side of 0.
double two_sided_p(double observed, std::vector<double> null) {
  for (double& x : null) x = std::fabs(x);
  return p_value(std::fabs(observed), null);
}

}  // namespace

MetricResult result_of(const Estimate& estimate) {
  MetricResult m;
  m.value = estimate.value;
  m.why = estimate.why;
  if (estimate.items >= 0) m.items = estimate.items;
  return m;
}

void add_intervals(const MetricRow& row, const Replicates& draws, const Replicates& null, double level,
                   MetricResult& m) {
  if (!m.value) return;
  if (const auto at = null.find(row.key); row.null && at != null.end()) {
    m.null_mean = mean(at->second);
    m.p_value = row.low == -kUnbounded ? two_sided_p(*m.value, at->second) : p_value(*m.value, at->second);
  }
  const auto at = draws.find(row.key);
  if (at == draws.end() || row.interval == Interval::none) return;
  add_interval(row.interval, at->second, level, m);
  // Not distinguishable from calibrated: then 0 belongs to the interval.
  if (row.interval == Interval::basic && m.p_value && *m.p_value > 1 - level) m.low = 0.0;
}

}  // namespace plumb::detail
