// Overlap and size of masks: context for the calibration of a segmentation, not a test of it. Foreground is
// every class but the first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb::detail {

/// The model against one rater, over the voxels that the rater rated.
struct RaterOverlap {
  double volume = 0;                      ///< voxels of the rater's foreground
  std::optional<double> dice, soft_dice;  ///< 2 |A and B| / (|A| + |B|); null where both are empty
};

/// The volume that the probabilities give, beside the spread of the raters' volumes.
struct VolumeSpread {
  double mean = 0;           ///< of the raters
  std::optional<double> sd;  ///< n - 1; absent for one rater
  /// Continuous ranked probability score of the expected volume under a normal distribution with that mean
  /// and standard deviation, in voxels (as in the CURVAS challenge); absent for one rater.
  std::optional<double> crps;
};

struct CaseOverlap {
  double predicted = 0;  ///< voxels where the model's most probable class is foreground
  double expected = 0;   ///< summed probability of foreground
  std::vector<RaterOverlap> raters;
  std::vector<CaseOverlap> structures = {};  ///< of three classes or more: each but the first by itself
};

[[nodiscard]] std::optional<VolumeSpread> volume_spread(
    const CaseOverlap& overlap);  ///< absent without raters

/// Sums behind it, which can be added up over parts of a case.
struct RaterOverlapSums {
  std::uint64_t rater = 0, model = 0, both = 0;  ///< voxels
  ExactSum p, p_in;  ///< of foreground: over rated voxels, within the rater's mask
};
struct OverlapSums {
  std::uint64_t predicted = 0;
  ExactSum expected;
  std::vector<RaterOverlapSums> raters;
};

/// Votes must be ratings.
[[nodiscard]] OverlapSums overlap_sums(const Items& items, int threads);
void merge(OverlapSums& into, const OverlapSums& from);
[[nodiscard]] CaseOverlap finish(const OverlapSums& sums);
/// Each class but the first, where there are three or more.
[[nodiscard]] std::vector<CaseOverlap> structure_overlaps(const Items& items, int threads);
[[nodiscard]] inline CaseOverlap case_overlap(const Items& items, int threads) {
  return finish(overlap_sums(items, threads));
}

}  // namespace plumb::detail
