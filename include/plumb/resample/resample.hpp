// What a resample is: weights on units, or redrawn outcomes. Pure functions of (seed, replicate, unit), so
// that no thread count or shard split can change a bound.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/data/items.hpp"
#include "plumb/resample/null_model.hpp"

namespace plumb {

/// Below so many units intervals and p-values are rough; of one there are none.
inline constexpr std::int64_t kEnoughUnits = 10;
/// Units (groups, else items) with a vote of positive weight; counting ends at kEnoughUnits.
[[nodiscard]] std::int64_t drawable_units(const Items& items);
/// A note for a result that was to be resampled from so many; empty when they are enough.
[[nodiscard]] std::string few_units_note(std::int64_t units, bool grouped);

/// Redraws the votes of some rows for one replicate: a uniform number for each row, from which its hits and
/// classes follow.
class NullDraw {
 public:
  /// `units`: the group of each row; empty unless the model is grouped.
  void draw(const NullModel& model, std::uint64_t seed, std::uint32_t replicate,
            std::span<const std::uint64_t> rows, std::span<const std::uint64_t> units);

  /// Hits of an event column of those rows, for which `votes` was planned.
  void hits(const ForecastsView& observed, const VoteCounts& votes, std::vector<double>& out) const;
  /// The drawn votes. `event` is the block's event, for which `votes` was planned: its hits are those of
  /// hits(). For one vote the argmax takes [0, z_max) of u, the others follow in order, so that the event of
  /// the top label is u < z_max exactly. Of several, those that miss the argmax are drawn from an urn.
  void classes(const ItemBlock& block, const ForecastsView& event, const VoteCounts& votes,
               VoteBlock& out) const;

 private:
  std::uint64_t seed_ = 0;
  std::uint32_t replicate_ = 0;
  std::vector<double> uniform_, group_;
  std::span<const std::uint64_t> rows_;
};

}  // namespace plumb
