// Hand-made ascending columns of forecasts for the tests of the ordered metrics, and ways to write the same
// votes down differently.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb::test {

struct Column {
  std::vector<double> p, hits, trials, weight;  // trials, weight may be empty: one each
  std::vector<std::uint32_t> times;             // may be empty: once each
  bool whole_counts = true;

  [[nodiscard]] std::size_t size() const { return p.size(); }
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, weight, times, whole_counts}; }
  [[nodiscard]] double mass(std::size_t i) const { return view().weight_of(i) * view().trials_of(i); }
  [[nodiscard]] double gain(std::size_t i) const { return view().weight_of(i) * hits[i]; }
};

/// The rows of c in the given order; a row may stand there several times.
inline Column take(const Column& c, const std::vector<std::size_t>& rows) {
  Column out;
  out.whole_counts = c.whole_counts;
  for (const std::size_t i : rows) {
    out.p.push_back(c.p[i]);
    out.hits.push_back(c.hits[i]);
    if (!c.trials.empty()) out.trials.push_back(c.trials[i]);
    if (!c.weight.empty()) out.weight.push_back(c.weight[i]);
    if (!c.times.empty()) out.times.push_back(c.times[i]);
  }
  return out;
}

/// Ascending p, equal p in an order that the seed decides.
inline Column sorted(const Column& c, std::uint64_t seed = 0) {
  std::vector<std::size_t> rows(c.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::mt19937_64 rng(seed);
  if (seed != 0) std::shuffle(rows.begin(), rows.end(), rng);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return c.p[a] < c.p[b]; });
  return take(c, rows);
}

struct ColumnOptions {
  std::size_t n = 200;
  int levels = 0;         ///< p is rounded to multiples of 1/levels inside (0, 1); 0: not rounded
  int most_trials = 1;    ///< 1: no trials column; otherwise 0 .. most_trials votes
  bool weighted = false;  ///< real weights, some of them 0
  bool resampled = false;
  double power = 1.5;  ///< votes are drawn with probability p^power
  std::uint64_t seed = 1;
};

inline Column random_column(const ColumnOptions& o) {
  std::mt19937_64 rng(o.seed);
  const auto uniform = [&] { return static_cast<double>(rng() >> 11) * 0x1p-53; };
  Column c;
  for (std::size_t i = 0; i < o.n; ++i) {
    double p = 0.001 + 0.998 * uniform();
    if (o.levels > 0) p = (std::floor(p * o.levels) + 0.5) / o.levels;
    const int trials = o.most_trials == 1 ? 1 : static_cast<int>(uniform() * (o.most_trials + 1));
    int hits = 0;
    for (int t = 0; t < trials; ++t) hits += uniform() < std::pow(p, o.power);
    c.p.push_back(p);
    c.hits.push_back(hits);
    if (o.most_trials > 1) c.trials.push_back(trials);
    if (o.weighted) c.weight.push_back(uniform() < 0.1 ? 0.0 : 0.1 + 2 * uniform());
    if (o.resampled) c.times.push_back(static_cast<std::uint32_t>(uniform() * 3));
  }
  return sorted(c);
}

/// Columns of every kind: plain, tied, several votes, resampled, weighted, all at once.
inline std::vector<ColumnOptions> kinds() {
  return {{.seed = 1},
          {.n = 1, .seed = 2},
          {.n = 2, .levels = 1, .seed = 3},
          {.levels = 12, .seed = 4},
          {.most_trials = 5, .seed = 5},
          {.levels = 15, .most_trials = 4, .seed = 6},
          {.resampled = true, .seed = 7},
          {.levels = 30, .most_trials = 3, .resampled = true, .seed = 8},
          {.weighted = true, .seed = 9},
          {.levels = 25, .most_trials = 3, .weighted = true, .resampled = true, .seed = 10}};
}

/// One row per vote, hits first within an item; weights go along, times become rows.
inline Column expanded(const Column& c) {
  Column out;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::uint32_t times = c.times.empty() ? 1 : c.times[i];
    for (std::uint32_t t = 0; t < times; ++t) {
      for (int v = 0; v < static_cast<int>(c.view().trials_of(i)); ++v) {
        out.p.push_back(c.p[i]);
        out.hits.push_back(v < static_cast<int>(c.hits[i]) ? 1.0 : 0.0);
        if (!c.weight.empty()) out.weight.push_back(c.weight[i]);
      }
    }
  }
  return out;
}

/// Distinct p of positive mass, ascending.
inline std::vector<double> distinct_p(const Column& c) {
  std::vector<double> out;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c.mass(i) > 0 && (out.empty() || out.back() != c.p[i])) out.push_back(c.p[i]);
  }
  return out;
}

}  // namespace plumb::test
