// Flat inversion: the interval of a plug-in calibration error on fixed bins. Noise alone makes such an error
// positive, so that its own bootstrap is biased twice. Instead one asks which true error t makes the observed
// value T ordinary: gaps of size t are added to draws of the noise, in the direction of each bin's observed
// gap, and T is recomputed (docs/inference.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb::detail {

/// A value that even a calibrated model rarely stays below is luck, and does not prove an error of 0: a
/// little above 0.025, where the bound of 95% would be 0.
inline constexpr double kLucky = 0.03;
/// The same share for the interval of another level: its bound would be 0 at (1 - level) / 2.
[[nodiscard]] constexpr double lucky_share(double level) { return level < 0.95 ? 0.6 * (1 - level) : kLucky; }

/// Sums by bin of one table, or of several after each other, in one draw.
struct BinSums {
  std::vector<double> weight;    ///< sum w n
  std::vector<double> residual;  ///< sum w (h - n p)
};
[[nodiscard]] BinSums bin_sums(std::span<const ReliabilityTable> tables);

/// The bins that hold votes: what was observed, and draws of how far a gap is from the true one by chance.
struct BinNoise {
  std::vector<double> weight;       ///< share of the table's votes, over the number of tables: sums to 1
  std::vector<double> mean_p, gap;  ///< gap: mean of hits - p
  std::vector<double> noise;        ///< draw by draw, by bin
  [[nodiscard]] std::int64_t count() const { return std::ssize(weight); }
  [[nodiscard]] std::int64_t draws() const { return count() > 0 ? std::ssize(noise) / count() : 0; }
};
/// From draws of a calibrated model's outcomes: their residuals are the noise, made larger where outcomes
/// vary more than forecasts say (the events of a model whose forecasts are half as large vary twice as much).
[[nodiscard]] BinNoise null_noise(std::span<const ReliabilityTable> observed,
                                  const std::vector<const BinSums*>& null);
/// From bootstrap draws with Poisson counts m by unit: noise sum (m - 1) e. A gap that stands out of the
/// noise is taken off the residuals first, since it would count as spread.
[[nodiscard]] BinNoise multiplier_noise(std::span<const ReliabilityTable> observed,
                                        const std::vector<const BinSums*>& boot);
/// Draws with the covariance of those at hand and nearly normal: sums of them with random signs. Counts of a
/// Poisson bootstrap have long tails and make the gaps of all bins that a unit touches large at once.
[[nodiscard]] BinNoise normal_draws(const BinNoise& bins, std::int64_t draws);
/// More draws of independent bins: each bin's noise is taken from another draw. At least `draws` of them.
[[nodiscard]] BinNoise with_more_draws(const BinNoise& bins, std::int64_t draws);

enum class PlugIn {
  absolute,   ///< sum_b w_b |gap_b|
  square,     ///< sum_b w_b gap_b^2
  divergence  ///< sum_b w_b KL(p_b + gap_b, p_b)
};
struct Inverted {
  double low = 0, median = 0, high = 0;  ///< on the scale of the plug-in
};
/// `clip` as in ScoreOptions. Needs a draw and a bin.
[[nodiscard]] Inverted invert(const BinNoise& bins, PlugIn kind, double level, double clip = 0);

/// The same for a mean absolute gap that is not on bins, from its values over null draws alone: it is taken
/// for the mean of m independent |t + N(0, s^2)|, m and s such that mean and standard deviation at t = 0 are
/// those of the draws. `clear` is its standard deviation where all gaps stand out of the noise, if that is
/// larger than s / sqrt(m): noise that neighbours share counts for more in a mean than in a mean of sizes.
[[nodiscard]] Inverted invert_folded(double observed, std::span<const double> null, double level,
                                     double clear = 0);
/// That of sum_b w_b |gap_b| with gaps of the observed signs.
[[nodiscard]] double clear_spread(const BinNoise& bins);

/// The CLs bound of the mean absolute gap: the smallest t with P_t(T <= observed) / P_0(T <= observed) <= 1 -
/// level, one counted into either (Read 2002); 1 when no t gets there. The division keeps a T that is small
/// by luck from proving anything. An observed value below `least` counts as `least`.
[[nodiscard]] double cls_bound(const BinNoise& bins, double level, double least = 0);
/// The value that a calibrated model stays below with probability kLucky.
[[nodiscard]] double lucky_value(const BinNoise& bins);
/// The median of that bound over draws of a calibrated model.
[[nodiscard]] double null_cls_bound(const BinNoise& bins, double level);

/// Upper bound of the mean of a Poisson count, one-sided (Wilson-Hilferty).
[[nodiscard]] double poisson_upper(double count, double level);

}  // namespace plumb::detail
