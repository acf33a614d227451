// Prediction sets with a guarantee: split conformal sets for labels, and for votes of several raters their
// form by conformal risk control (Angelopoulos 2024; Stutz 2023).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

/// How a class is scored; a set contains the classes whose score is at most the threshold. Equal
/// probabilities have equal scores, whatever the order of the classes.
enum class SetScore {
  lac,  ///< 1 - z_k: the smallest sets on average (Sadinle 2019)
  aps,  ///< sum of z_j over z_j >= z_k: sizes follow the difficulty (Romano 2020, without randomisation)
  raps  ///< aps + lambda max(0, rank - 5): no long tails (Angelopoulos 2021)
};
inline constexpr std::string_view kSetScores[] = {"lac", "aps", "raps"};

struct SetOptions {
  SetScore score = SetScore::lac;
  std::vector<double> levels = {0.9};  ///< between 0 and 1
  double lambda = 0.01;                ///< of raps
  /// A threshold for each class, from one vote per item, drawn by (seed, row): covers each class of votes.
  bool by_class = false;
  bool by_slice = false;  ///< a threshold for each name of the items' one way to slice: covers each slice
  std::uint64_t seed = 0;
  int threads = 0;  ///< does not affect the results
};

/// A step "sets": for each level the smallest threshold tau with (sum of miss_i(tau) + 1)/(n + 1) <= 1 -
/// level, miss_i the share of the votes of item i outside its set. Items weigh one each; with groups each
/// group does, with the mean of its items. The set of a new item (or of an item of a new group) then holds a
/// random rater's label with probability >= level, whatever the model and the votes, if new and old items are
/// exchangeable. By slice the same holds among the items of each slice; a group has a share in every slice in
/// which it has items. With too few items for a level the set is everything. InputError: no votes, weights.
[[nodiscard]] Step fit_sets(const Items& items, const SetOptions& options);

/// The levels of a model that ends with sets.
[[nodiscard]] std::span<const double> set_levels(const CalibrationModel& model);
[[nodiscard]] bool gives_sets(const CalibrationModel& model);
/// The slices that have thresholds of their own; empty: all items share theirs.
[[nodiscard]] std::vector<std::string> set_slices(const CalibrationModel& model);

/// Calls sink(begin, rows) for consecutive items: rows x levels x classes, 1 where the set contains the class
/// (classes: 2 when binary). The earlier steps of the model are applied first. `slices`: the name of each
/// item's slice, for a model that has thresholds by slice, otherwise empty; InputError for a slice that it
/// does not know.
void apply_sets(const CalibrationModel& model, const Predictions& predictions, const Names& slices,
                int threads,
                const std::function<void(std::int64_t begin, std::span<const double> in_set)>& sink);

}  // namespace plumb
