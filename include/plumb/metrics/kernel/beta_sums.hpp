// Compressed sums for the Beta kernel: pass one of the kernel calibration error, and all that `plumb merge`
// needs of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/box_moments.hpp"

namespace plumb {

/// The partition of [0, 1] for bandwidth h. Each half is measured from its end, in alpha = r/h, r = min(p, 1
/// - p). Where alpha >= 1, boxes have equal width `step` in 2 sqrt(alpha), where the kernel has width one
/// (theta = arccos(1 - 2p) is 2 sqrt(h alpha) there, up to its curvature); below, boxes are octaves of alpha:
/// as x nears an end, k(x; q) as a function of q narrows like h / log(1/x). Sources share one box below 2^-8,
/// targets go on by octaves, because x^alpha is smooth across an octave but not at 0.
struct BetaBoxes {
  double bandwidth = 0;
  double step = 0;  ///< from the requested accuracy

  static constexpr int kSourceOctaves = 9;     ///< alpha in [0, 2^-8), [2^-8, 2^-7), ..., [1/2, 1)
  static constexpr int kTargetOctaves = 1023;  ///< down to r = 2^-1022 and below
  BetaBoxes() = default;
  BetaBoxes(double bandwidth, double accuracy);
  [[nodiscard]] int source_boxes() const;  ///< of one side
  [[nodiscard]] int target_boxes()
      const;  ///< of one side: octaves first, the lowest last, then the boxes of equal width
  friend bool operator==(const BetaBoxes&, const BetaBoxes&) = default;
};

/// The votes at one p.
struct VotesAt {
  double p = 0;
  ExactSum w, wy;
  friend bool operator==(const VotesAt&, const VotesAt&) = default;
};

/// The state: plain data, exact merge. `moments` holds the boxes of the lower side, then those of the upper
/// side.
struct BetaSums {
  BetaBoxes boxes;
  BoxMoments moments;
  // The limits at p = 0 and 1 see only the votes nearest to that end. Infinite p: there is no such vote.
  VotesAt zero{0.0, {}, {}}, lowest_above_zero, one{1.0, {}, {}}, highest_below_one;

  BetaSums() = default;
  explicit BetaSums(const BetaBoxes& b);
  void merge(const BetaSums& other);      ///< throws std::invalid_argument when the boxes differ
  [[nodiscard]] ExactSum weight() const;  ///< of all votes
  [[nodiscard]] ExactSum hits() const;
  friend bool operator==(const BetaSums&, const BetaSums&) = default;
};

class BetaSumsBuilder {
 public:
  explicit BetaSumsBuilder(const BetaBoxes& boxes);
  void update(const ForecastsView& f);
  [[nodiscard]] BetaSums finish();  ///< the builder is then empty

 private:
  BetaSums ends_;  // its moments stay empty
  MomentBuilder moments_;
  std::vector<std::uint32_t> box_;  // scratch
  std::vector<double> t_;
};

struct ForecastPass;
[[nodiscard]] BetaSums beta_sums(const ForecastPass& pass, const BetaBoxes& boxes);

}  // namespace plumb
