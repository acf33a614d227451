// The central idea: a forecast gave an event probability p; the event was then observed `trials` times and
// happened `hits` times. Predictions and votes are projected into such a column once, and every estimator is
// written over it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

/// A column of forecasts, or a block of one. An item without votes or of weight 0 has mass 0 and does
/// not count.
struct ForecastsView {
  std::span<const double> p;             ///< in [0, 1]
  std::span<const double> hits;          ///< successes; whole numbers unless `whole_counts` is false
  std::span<const double> trials;        ///< whole numbers; empty: one each
  std::span<const double> weight;        ///< of each vote; empty: one each
  std::span<const std::uint32_t> times;  ///< how often a resample drew the item; empty: once each
  bool whole_counts = true;              ///< false under the sign-flip null, where hits are real numbers

  [[nodiscard]] std::size_t size() const { return p.size(); }
  [[nodiscard]] double trials_of(std::size_t i) const { return trials.empty() ? 1.0 : trials[i]; }
  /// The weight of one vote of item i.
  [[nodiscard]] double weight_of(std::size_t i) const {
    const double w = weight.empty() ? 1.0 : weight[i];
    return times.empty() ? w : w * times[i];
  }
  [[nodiscard]] ForecastsView slice(std::size_t begin, std::size_t count) const;
};

struct Forecasts {
  std::vector<double> p, hits, trials, weight;  ///< trials, weight may be empty: one each
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, weight, {}, true}; }
  [[nodiscard]] std::size_t size() const { return p.size(); }
};

/// The event that the forecast is about. positive: class 1 (binary). top: the argmax; for binary tasks max(p,
/// 1-p). event: the event of the calibration errors, positive when binary, otherwise top.
enum class Event { event, positive, top };

// Projections of one block; `out` is overwritten.
void project(const ItemBlock& block, Event event, Forecasts& out);
void project_class(const ItemBlock& block, int k,
                   Forecasts& out);  ///< p = z_k, event: the vote equals class k
/// Event: the vote is among the `top` largest (ties: lowest class first); p is their total probability.
void project_top(const ItemBlock& block, int top, Forecasts& out);

/// A whole column in row order: one parallel pass. `trials` stays empty when every item has exactly one vote.
[[nodiscard]] Forecasts collect(const Items& items, Event event, int threads);
[[nodiscard]] Forecasts collect_class(const Items& items, int k, int threads);

/// A column in ascending order of p, equal p in row order; order[i] is the row that stands at i.
struct SortedForecasts {
  Forecasts columns;
  std::vector<std::uint32_t> order;
  [[nodiscard]] ForecastsView view() const { return columns.view(); }
};
[[nodiscard]] SortedForecasts sort_forecasts(Forecasts f, int threads);

/// A column in ascending order of p, equal p in any order: 16 bytes per item for single votes without
/// weights, where p and the vote are sorted as one word.
[[nodiscard]] Forecasts sort_in_place(Forecasts f, int threads);
/// The column of max(p, 1 - p) (Event::top) of a binary task from that of p in ascending order: a merge.
[[nodiscard]] Forecasts confidence_of(const Forecasts& ascending, int threads);

}  // namespace plumb
