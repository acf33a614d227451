// Scores of a histogram of right and wrong answers (Finlay 2022, sections 2 to 5). The order of the bins
// matters only for the AUROC.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "plumb/metrics/estimate.hpp"
#include "plumb/uncertainty/bins.hpp"

namespace plumb {

/// The value of knowing that a bin is right with probability p when the base accuracy is a. Any function that
/// is convex in p keeps the refinement theorem: splitting bins never lowers the expected score.
using BinScore = std::function<double(double p, double a)>;

/// max(O(p)/O(a), O(a)/O(p)) with O(p) = p / (1-p) (definition 2). Infinite at p = 0 and 1.
[[nodiscard]] inline double odds_ratio_score(double p, double a) {
  const double up = p * (1 - a);
  const double down = a * (1 - p);
  if (up == 0 || down == 0) return up == down ? 1.0 : std::numeric_limits<double>::infinity();
  return up >= down ? up / down : down / up;
}
/// p log2(p/a) + (1-p) log2((1-p)/(1-a)): in bits; its expectation at the observed base accuracy is the
/// mutual information of bin and correctness.
[[nodiscard]] double kl_score(double p, double a);

/// sum_i w_i p_i of the bins: the base accuracy.
[[nodiscard]] double base_accuracy(std::span<const UncertaintyBin> bins);
/// sum_i w_i S(p_i, a).
[[nodiscard]] double expected_score(std::span<const UncertaintyBin> bins, double a, const BinScore& score);
/// sum_i w_i p_i (1 - p_i): table 2's "Brier score".
[[nodiscard]] double binned_brier(std::span<const UncertaintyBin> bins);
/// sum_i w_i H(p_i), in bits.
[[nodiscard]] double conditional_entropy(std::span<const UncertaintyBin> bins);
/// Area under the ROC curve of answers ranked by bin, equal bins half; from the least to the most confident
/// bin. Undefined when all answers are right, or all wrong.
[[nodiscard]] Estimate binned_auroc(std::span<const UncertaintyBin> least_confident_first);

enum class Degenerate {
  pool,
  jeffreys,
  error
};  ///< how bins with only right or only wrong answers are treated
[[nodiscard]] const char* degenerate_name(Degenerate d);

/// A one-sided bin is pooled, by counts, with the next until both outcomes occur; what is left at the end
/// joins the last. Empty when all answers are right, or all wrong.
[[nodiscard]] std::vector<UncertaintyBin> pool_one_sided(std::span<const UncertaintyBin> bins);

struct OddsRatio {
  Estimate eor;
  std::int64_t bins = 0;         ///< that the mean is over
  std::int64_t pooled_bins = 0;  ///< bins that vanished by pooling
};
/// The expected odds ratio. jeffreys: every p becomes (hits + 1/2) / (votes + 1), hits in votes. error: a
/// one-sided bin makes it undefined.
[[nodiscard]] OddsRatio expected_odds_ratio(std::span<const UncertaintyBin> bins, double a,
                                            Degenerate degenerate);

}  // namespace plumb
