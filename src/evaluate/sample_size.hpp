// How many units of resampling there are, and how many of equal weight they are worth.
#pragma once

#include "plumb/data/items.hpp"

namespace plumb::detail {

struct SampleSize {
  std::int64_t units = 0;  ///< groups if given, otherwise items, with a vote of positive weight
  double effective = 0;    ///< Kish: (sum u)^2 / sum u^2 over the units' weights u
  bool grouped = false;
  bool several_votes = false;
  bool weighted = false;
  /// Every unit is one vote.
  [[nodiscard]] bool single() const { return !grouped && !several_votes; }
};
[[nodiscard]] SampleSize sample_size(const Items& items);

}  // namespace plumb::detail
