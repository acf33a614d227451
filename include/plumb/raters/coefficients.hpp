// Agreement corrected for chance, with a distance between classes: Krippendorff's alpha over all raters,
// Cohen's kappa of a pair.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/data/votes.hpp"

namespace plumb {

/// How far two classes are apart.
enum class Distance {
  nominal,  ///< 0 or 1
  ordinal,  ///< by the votes between them (Krippendorff 2011)
  interval  ///< the squared difference of their numbers
};
[[nodiscard]] const char* distance_name(Distance distance);

/// Krippendorff's coincidences: pairs of votes on one item, each weighing 1/(n - 1), in exact integers.
class Coincidences {
 public:
  /// `times`: how often each item counts; empty: once. Items with fewer than two votes do not enter.
  Coincidences(const Judgements& votes, int classes, std::span<const std::uint32_t> times = {});
  /// 1 - observed/expected distance. Absent without items of two votes, or if all votes name one class.
  [[nodiscard]] std::optional<double> alpha(Distance distance) const;

 private:
  int classes_;
  std::vector<double> pairs_;  // classes x classes
  std::vector<double> total_;  // votes by class
  double votes_ = 0;
};

/// Cohen 1960, 1968: 1 - sum d O / sum d E over the K x K counts of a pair of raters, E from their margins;
/// d = 1 off the diagonal, or the squared difference of the classes (`ordered`: quadratic weights). Absent
/// where E has no distance.
[[nodiscard]] std::optional<double> cohen_kappa(std::span<const std::uint64_t> counts, int classes,
                                                bool ordered);

/// Counts of a pair of raters on the items that both rated: pair (a, b), a < b, vote of a, vote of b.
class PairCounts {
 public:
  PairCounts(const Judgements& votes, int classes, int raters, std::span<const std::uint32_t> times = {});
  [[nodiscard]] std::span<const std::uint64_t> counts(int a, int b) const;

 private:
  std::int64_t classes_, raters_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace plumb
