// Columns for the tests of this room: a measure and what was observed, sorted as the estimators want them.
#pragma once

#include <algorithm>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/uncertainty/bins.hpp"

namespace plumb::test {

/// p is minus the measure, ascending.
inline SortedForecasts sorted(const std::vector<double>& measure, const std::vector<double>& hits,
                              const std::vector<double>& trials = {},
                              const std::vector<double>& weight = {}) {
  Forecasts f;
  for (const double y : measure) f.p.push_back(0.0 - y);
  f.hits = hits;
  f.trials = trials;
  f.weight = weight;
  return sort_forecasts(f, 1);
}

struct RandomColumn {
  std::vector<double> measure, hits;
};
/// A measure on `levels` distinct values (0: all distinct) that tells right from wrong; seed picks it.
inline RandomColumn random_column(std::size_t n, int levels, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 5);
  RandomColumn c;
  for (std::size_t i = 0; i < n; ++i) {
    double u = rng.uniform();
    if (levels > 0) u = static_cast<double>(static_cast<int>(u * levels)) / levels;
    c.measure.push_back(u);
    c.hits.push_back(rng.uniform() < 0.98 - 0.5 * u ? 1.0 : 0.0);
  }
  return c;
}

/// A bin of a given histogram.
inline UncertaintyBin bin(double w, double p, std::int64_t votes = 0) {
  UncertaintyBin b;
  b.mass = w;
  b.hits = w * p;
  b.votes = votes;
  return b;
}

}  // namespace plumb::test
