// How far masks overlap, and how large they are: context for the calibration of a segmentation, no judgement
// of it. Foreground is every class but the first.
#pragma once

#include <optional>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb::detail {

/// The model against one rater, over the voxels that the rater rated.
struct RaterOverlap {
  double volume = 0;                      ///< voxels of the rater's foreground
  std::optional<double> dice, soft_dice;  ///< 2 |A and B| / (|A| + |B|); null where both are empty
};

struct CaseOverlap {
  double predicted = 0;  ///< voxels where the model's most probable class is foreground
  double expected = 0;   ///< summed probability of foreground
  std::vector<RaterOverlap> raters;
};

/// Votes must be ratings.
[[nodiscard]] CaseOverlap case_overlap(const Items& items, int threads);

}  // namespace plumb::detail
