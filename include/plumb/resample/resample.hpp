// Resamples: weights on units, or redrawn outcomes. Pure functions of (seed, replicate, unit), so that no
// thread count or shard split can change a bound.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/data/items.hpp"
#include "plumb/resample/null_model.hpp"

namespace plumb {

/// With fewer units, intervals and p-values are rough; with one there are none.
inline constexpr std::int64_t kEnoughUnits = 10;
/// Units (groups if given, otherwise items) with a vote of positive weight; counting ends at kEnoughUnits.
[[nodiscard]] std::int64_t drawable_units(const Items& items);
/// A note for a result with this many units; empty when there are enough.
[[nodiscard]] std::string few_units_note(std::int64_t units, bool grouped);
/// Of so many units with random signs no p-value can be below 2^(1 - units), since reversing all signs gives
/// the same statistic: a note where that is above 1 - level; otherwise empty.
[[nodiscard]] std::string few_signs_note(std::int64_t units, bool grouped, double level);

/// Redraws the votes of some rows for one replicate:
/// a uniform number for each row, from which its hits and classes follow.
class NullDraw {
 public:
  /// `units`: the group of each row; empty unless the model is grouped.
  void draw(const NullModel& model, std::uint64_t seed, std::uint32_t replicate,
            std::span<const std::uint64_t> rows, std::span<const std::uint64_t> units);

  /// Whether hits() are counts.
  [[nodiscard]] bool hits_are_counts() const { return !signs_; }
  /// Hits of an event column of those rows, for which `votes` was planned. With random signs, a unit keeps
  /// its hits or has 2 n p - hits, which need not be a count: only for statistics of residuals.
  void hits(const ForecastsView& observed, const VoteCounts& votes, std::vector<double>& out) const;
  /// The drawn votes, of a model only. `event` is the block's event, for which `votes` was planned: its hits
  /// are those of hits(). For one vote the argmax takes [0, z_max) of u, the others follow in order, so that
  /// the event of the top label is u < z_max exactly.
  /// Of several, those that miss the argmax are drawn from an urn.
  void classes(const ItemBlock& block, const ForecastsView& event, const VoteCounts& votes,
               VoteBlock& out) const;

 private:
  std::uint64_t seed_ = 0;
  std::uint32_t replicate_ = 0;
  bool signs_ = false;
  std::vector<double> uniform_, group_;
  std::vector<std::uint64_t> flips_;
  std::span<const std::uint64_t> rows_;
};

}  // namespace plumb
