// Votes and weights of a block as the fits read them, and what a fit reports about them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/step.hpp"
#include "plumb/data/items.hpp"

namespace plumb::detail {

struct Ballots {
  VoteBlock votes;
  std::vector<double> weight;  ///< empty: one each

  [[nodiscard]] double weight_of(std::int64_t i) const { return weight.empty() ? 1.0 : weight[i]; }
  /// The weight of all votes of item i: w n.
  [[nodiscard]] double mass(std::int64_t i) const { return weight_of(i) * votes.votes(i); }
  /// body(class, w times votes) for each class voted for.
  template <class Body>
  void for_each(std::int64_t i, Body body) const {
    const double w = weight_of(i);
    if (votes.single) return body(votes.cls[i], w);
    for (std::uint32_t e = votes.offset[i]; e < votes.offset[i + 1]; ++e)
      body(votes.cls[e], w * votes.count[e]);
  }
};

/// Throws InputError for bad votes and weights.
void read_ballots(const Items& items, std::int64_t begin, std::int64_t end, Ballots& out);

/// Totals that every fit needs. Items of mass 0 (no votes, weight 0) do not count.
struct Tally {
  std::int64_t items = 0, votes = 0;
  std::int64_t without_votes = 0, without_weight = 0;
  double mass = 0;                 ///< sum of w n, order-free
  std::vector<double> class_mass;  ///< by class, order-free
};
/// Throws InputError when there is nothing to fit on.
[[nodiscard]] Tally tally(const Items& items, int threads);
/// The same without a complaint: part of a tally. Those of items without weights add up exactly.
[[nodiscard]] Tally part_of_tally(const Items& items, int threads);

/// Pseudo-votes that shrink a fit towards the uncalibrated predictions: each vote brings votes/n more of
/// them, shared among the classes by (n z + 1/K)/(n + 1), n being the weight of all votes.
struct Prior {
  double votes = 0;  ///< in all
  double n = 1;
  [[nodiscard]] bool any() const { return votes > 0; }
  [[nodiscard]] double per_vote() const { return votes / n; }
  [[nodiscard]] double share(double z, double classes) const { return (n * z + 1 / classes) / (n + 1); }
};
[[nodiscard]] inline Prior prior_of(const FitOptions& options, const Tally& tally) {
  return {options.prior_votes.value_or(0), tally.mass};
}
/// Whether a class has no vote: a fit with numbers of its own for it would rule it out.
[[nodiscard]] bool lacks_class(const Tally& tally);
/// Why a fit that runs away has no finite optimum.
[[nodiscard]] std::string separation();

/// items, votes and the warnings that follow from the tally and from clipped probabilities.
void describe(const Tally& tally, const Items& items, std::int64_t clipped, FitReport& report);

}  // namespace plumb::detail
