// Compressed sums for the Beta kernel:
// pass one of the kernel calibration error, and all that `plumb merge` needs of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/box_moments.hpp"

namespace plumb {

/// The partition of [0, 1] for bandwidth h. Each half is measured from its end, in alpha = r/h, r = min(p, 1
/// - p). Where alpha >= 1, boxes have equal width (at most `step`) in 2 sqrt(alpha), where the kernel has
/// width one: theta = arccos(1 - 2p) is sqrt(h) times that, up to its curvature. Below, boxes are octaves of
/// alpha: as x nears an end, k(x; q) as a function of q narrows like h / log(1/x). Sources share one box
/// below 2^-8; targets go on by octaves, because x^alpha is smooth across an octave but not at 0.
struct BetaBoxes {
  double bandwidth = 0;
  double step = 0;  ///< from the requested accuracy

  /// [1/2, 1), [1/4, 1/2), ..., [2^-8, 2^-7), [0, 2^-8)
  static constexpr int kSourceOctaves = 9;
  /// [1/2, 1), ..., [2^-1022, 2^-1021); r below 2^-1022 counts as 2^-1022
  static constexpr int kTargetOctaves = 1022;
  BetaBoxes() = default;
  BetaBoxes(double bandwidth, double accuracy);  ///< throws InputError for a bandwidth outside [1e-5, 1]
  // Numbers of boxes of one side: those with alpha >= 1; all, octaves first.
  [[nodiscard]] int even_boxes() const;
  [[nodiscard]] int source_boxes() const { return kSourceOctaves + even_boxes(); }
  [[nodiscard]] int target_boxes() const { return kTargetOctaves + even_boxes(); }
  friend bool operator==(const BetaBoxes&, const BetaBoxes&) = default;
};

/// The votes at one p.
struct VotesAt {
  double p = 0;
  ExactSum w, wy;
  friend bool operator==(const VotesAt&, const VotesAt&) = default;
};

/// The state: plain data, exact merge. `moments` holds the boxes of the lower side, then those
/// of the upper side.
struct BetaSums {
  BetaBoxes boxes;
  BoxMoments moments;
  // The limits at p = 0 and 1 see only the votes nearest to that end. above_zero.p = 2: there is not a vote
  // above 0.
  VotesAt at_zero{0.0, {}, {}}, above_zero{2.0, {}, {}}, at_one{1.0, {}, {}}, below_one{-1.0, {}, {}};

  BetaSums() = default;
  explicit BetaSums(const BetaBoxes& b);
  void merge(const BetaSums& other);       ///< throws std::invalid_argument when the boxes differ
  void merge_ends(const BetaSums& other);  ///< all but the moments
  [[nodiscard]] ExactSum weight() const;   ///< of all votes
  [[nodiscard]] ExactSum hits() const;
  friend bool operator==(const BetaSums&, const BetaSums&) = default;
};

namespace detail {
class BetaLayout;
}

class BetaSumsBuilder {
 public:
  explicit BetaSumsBuilder(const BetaBoxes& boxes);
  ~BetaSumsBuilder();
  BetaSumsBuilder(BetaSumsBuilder&&) noexcept;
  void update(const ForecastsView& f);
  void merge(BetaSumsBuilder& other);  ///< of the same boxes, which is then empty
  [[nodiscard]] BetaSums finish();     ///< the builder is then empty

 private:
  void update_ends(const ForecastsView& f, std::size_t i);
  std::shared_ptr<const detail::BetaLayout> layout_;
  BetaSums ends_;  // its moments stay empty
  MomentBuilder moments_;
  std::vector<std::uint32_t> box_;  // scratch
  std::vector<double> t_;
};

struct ForecastPass;
[[nodiscard]] BetaSums beta_sums(const ForecastPass& pass, const BetaBoxes& boxes);

}  // namespace plumb
