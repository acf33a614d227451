// What a resample is: weights on units, or redrawn outcomes. Pure functions of (seed, replicate, unit), so
// that no thread count or shard split can change a bound.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

/// How a calibrated model's outcomes are imitated (contract, section 2, "Null").
enum class NullKind {
  labels,  ///< one vote per item, no groups: labels drawn from z
  signs,   ///< otherwise: the residual hits - trials p of each unit gets a random sign
};
[[nodiscard]] const char* null_name(NullKind kind, bool grouped);

/// Below so many units intervals and p-values are rough; of one there are none.
inline constexpr std::int64_t kEnoughUnits = 10;
/// Units (groups, else items) with a vote of positive weight; counting ends at kEnoughUnits.
[[nodiscard]] std::int64_t drawable_units(const Items& items);
/// A note for a result that was to be resampled from so many; empty when they are enough.
[[nodiscard]] std::string few_units_note(std::int64_t units, bool grouped);

/// Redraws the outcomes of one block for one replicate.
class NullDraw {
 public:
  /// `uniform` or `sign` is filled for the units given.
  void draw(NullKind kind, std::uint64_t seed, std::uint32_t replicate, std::span<const std::uint64_t> units);

  /// Hits of an event column whose rows are those units: u < p, or n p + s (h - n p).
  void hits(const ForecastsView& observed, std::vector<double>& out) const;
  /// The drawn class of each item: the argmax takes [0, z_max) of u, the others follow in order, so that the
  /// event of the top label is u < z_max exactly. Only for kind labels.
  void classes(const ItemBlock& block, VoteBlock& out) const;
  [[nodiscard]] std::span<const std::int8_t> signs() const { return sign_; }
  [[nodiscard]] NullKind kind() const { return kind_; }

 private:
  NullKind kind_ = NullKind::labels;
  std::vector<double> uniform_;
  std::vector<std::int8_t> sign_;
};

}  // namespace plumb
