// How much the raters agree among themselves: mean pairwise agreement, Fleiss' kappa, Krippendorff's alpha.
// The model is not involved; this is the background for its errors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"

namespace plumb {

/// Sums of one class over the items with two votes or more (y of n votes for the class, w the item's weight).
struct AgreementClass {
  ExactSum wmu;  ///< sum w y / n
  ExactSum wg;   ///< sum w y (y - 1) / (n (n - 1)): pairs that both say the class
  ExactSum wy;   ///< sum w y
  ExactSum wo;   ///< sum w y (y - 1) / (n - 1): Krippendorff's diagonal coincidences
  friend bool operator==(const AgreementClass&, const AgreementClass&) = default;
};

/// State; items with fewer than two votes do not enter.
struct Agreement {
  std::uint64_t items = 0;
  std::uint64_t count = 0;  ///< sum n: the votes themselves, whatever their weights
  ExactSum weight, votes;   ///< sum w, sum w n
  std::vector<AgreementClass> cls;
  Agreement() = default;
  explicit Agreement(int classes) : cls(static_cast<std::size_t>(classes)) {}
  friend bool operator==(const Agreement&, const Agreement&) = default;
};
void update(Agreement& a, const VoteBlock& votes, std::span<const double> weight,
            std::span<const std::uint32_t> times = {});
void merge(Agreement& into, const Agreement& from);

/// Writes rater_agreement, fleiss_kappa, krippendorff_alpha.
void finish_agreement(const Agreement& a, Scores& out);
/// The same keys by class (the class against the rest), and rater_specific_agreement: when one rater says the
/// class, how often a second one does too.
[[nodiscard]] ClassScores agreement_classes(const Agreement& a);

}  // namespace plumb
