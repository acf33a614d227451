// Each rater against the others, and the model against each rater. Needs to know who gave which vote.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// Sums of one rater. Pairs are (this rater, another rater) on one item; weights multiply both
/// sides of a share.
struct RaterSums {
  std::uint64_t items = 0;   ///< items rated, of positive weight
  std::uint64_t shared = 0;  ///< of those, rated by another rater too
  std::uint64_t pairs = 0, pairs_agree = 0;
  /// shared items on which the rater says what most of the others say (ties: lowest class)
  std::uint64_t majority_agree = 0;
  std::uint64_t model_agree = 0;  ///< items on which the model's argmax is the rater's class
  ExactSum w_items, w_pairs, w_pairs_agree, w_shared, w_majority_agree, w_model_agree;
  friend bool operator==(const RaterSums&, const RaterSums&) = default;
};
struct RaterTable {
  std::vector<RaterSums> rater;
  friend bool operator==(const RaterTable&, const RaterTable&) = default;
};

/// judgements: those of the block's items (Votes::read_judgements). A rater who judged an item twice counts
/// with both votes, which are not compared with each other.
void update(RaterTable& t, const ItemBlock& block, const Judgements& judgements);
void merge(RaterTable& into, const RaterTable& from);

/// One row of the table `raters`. A share is absent when nothing entered it.
struct RaterRow {
  std::int64_t rater = 0;
  std::uint64_t items = 0, shared = 0, pairs = 0, pairs_agree = 0, majority_agree = 0, model_agree = 0;
  std::optional<double> others;    ///< share of the other raters' votes on the same items that agree
  std::optional<double> majority;  ///< share of shared items where the rater goes with most of the others
  std::optional<double> model;     ///< share of the rater's items where the model's argmax agrees
};
[[nodiscard]] std::vector<RaterRow> rater_rows(const RaterTable& t);

/// One parallel streaming pass; throws InputError unless raters are known.
[[nodiscard]] RaterTable rater_table(const Items& items, int threads);

}  // namespace plumb
