// Drawn digits, a substitute for MNIST, and the binary labels in three modes of uncertainty of Mimori 2021,
// appendix E.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb {

inline constexpr int kDigitSize = 28;

/// Which numeral item `item` shows: 0 to 9, equally often.
[[nodiscard]] int digit_numeral(std::uint64_t seed, std::int64_t item);

/// A handwritten-looking numeral, light on black, 28 x 28: out.size() == 784. Strokes, slant, width,
/// thickness and position vary with (seed, item).
void draw_digit(std::uint64_t seed, std::int64_t item, int numeral, std::span<std::uint8_t> out);

/// The mean over images of a numeral of the probability that an annotator says 1: 0 and 1 for the numerals 0
/// and 1; 0.2, 0.4, 0.6, 0.8 for 2 to 5 (annotators of one image agree) and again for 6 to 9 (they do not).
/// No model that sees the image alone can do better.
[[nodiscard]] double annotation_mean(int numeral);

/// Mimori eq. 52. q is drawn for each image from a Beta of that mean: a point for 0 and 1, shapes divided by
/// `concentration` for 2 to 5, multiplied for 6 to 9.
struct ThreeModeOptions {
  int votes = 1;  ///< an image
  std::uint64_t seed = 0;
  double concentration = 20;  ///< lambda
};

struct ThreeModeLabels {
  std::vector<double> truth;         ///< N: q
  std::vector<double> expected;      ///< N: annotation_mean of its numeral
  std::vector<std::int64_t> counts;  ///< N x 2: votes for 0 and for 1
  std::vector<std::uint8_t> labels;  ///< N: the first vote
};

/// Labels for any ten-class digits (drawn, or MNIST's). Image i depends on (seed, i, numeral) alone, and with
/// more votes the first ones stay the same.
[[nodiscard]] ThreeModeLabels label_three_modes(std::span<const std::uint8_t> numerals,
                                                const ThreeModeOptions& options);

}  // namespace plumb
