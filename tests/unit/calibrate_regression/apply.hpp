// Calibrated variances and bounds of simulated items.
#pragma once

#include <memory>
#include <vector>

#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/calibrate/regression/map.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::test {

/// Row-major, like the items.
inline std::vector<double> calibrated(const Step& step, const SimulatedRegression& s) {
  const auto map = make_variance_map(step, s.outputs);
  RegressionBlock b;
  RegressionItems items = s.items();
  items.targets = Rows();
  read_regression(items, 0, s.n, b);
  std::vector<double> out(b.variance.size()), rows(out.size());
  map->variance(b, out);
  const auto n = static_cast<std::size_t>(s.n), d = static_cast<std::size_t>(s.outputs);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) rows[i * d + j] = out[j * n + i];
  return rows;
}

/// Share of the targets inside the intervals of this level.
inline double coverage(const Step& step, const SimulatedRegression& s, double level) {
  const auto map = make_variance_map(step, s.outputs);
  RegressionBlock b;
  read_regression(s.items(), 0, s.n, b);
  std::vector<double> low(b.variance.size()), high(low.size());
  map->offsets(b, level, low, high);
  double inside = 0;
  for (std::size_t k = 0; k < low.size(); ++k)
    inside += b.error[k] >= low[k] && b.error[k] <= high[k] ? 1 : 0;
  return inside / static_cast<double>(low.size());
}

inline double gaussian_nll(const SimulatedRegression& s, const std::vector<double>& variance) {
  double sum = 0;
  for (std::size_t k = 0; k < variance.size(); ++k) {
    const double e = s.target[k] - s.mean[k];
    sum += 0.5 * (std::log(2 * M_PI * variance[k]) + e * e / variance[k]);
  }
  return sum / static_cast<double>(variance.size());
}

}  // namespace plumb::test
