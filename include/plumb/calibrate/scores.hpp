// The input of a calibrator: logits. Probabilities are converted to logits by log z, clipped at 1e-12.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

inline constexpr double kScoreClip = 1e-12;
/// Larger logits are refused: their products with votes and weights would overflow the exact sums.
inline constexpr double kLargestLogit = 1e30;

/// Rows of logits in double, row-major; binary tasks keep the log-odds of class 1: width 1, classes 2.
struct ScoreBlock {
  std::vector<double> u;
  std::int64_t size = 0;
  int width = 0;
  std::int64_t clipped =
      0;                   ///< probabilities below kScoreClip (or above 1 - kScoreClip, binary) in this block
  PredictionBlock z = {};  ///< scratch of the reader
};

/// The scores are raw logits: the file holds logits of one sample.
[[nodiscard]] inline bool gives_logits(const Predictions& p) {
  return p.scale() == Scale::logit && p.samples() == 1;
}
/// Items [begin, end): raw logits if given, otherwise log z.
void read_scores(const Predictions& predictions, std::int64_t begin, std::int64_t end, ScoreBlock& out);
/// log z, clipped, of a block of probabilities; binary: log p - log(1 - p). Returns how many were clipped.
std::int64_t scores_of(std::span<const double> z, int width, std::span<double> u);
/// Softmax by row, or logistic when the width is 1. In and out may be the same span.
void probabilities_of(std::span<const double> u, int width, std::span<double> z);

}  // namespace plumb
