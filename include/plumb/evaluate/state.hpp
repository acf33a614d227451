// The mergeable part of an evaluation: what shards save, what `plumb merge` adds up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/replicates.hpp"
#include "plumb/metrics/kernel/beta_sums.hpp"
#include "plumb/metrics/ordered/ladder.hpp"

namespace plumb {

/// Votes taken together, or one question about them (plumb/raters/orders.hpp).
struct OrderSums {
  std::string key;
  std::int32_t order = 0;
  ShareTables tables;
  friend bool operator==(const OrderSums&, const OrderSums&) = default;
};

/// Of ordered classes (ordered.hpp): sums over votes and items, and the reliability of each threshold.
struct OrderedSums {
  std::uint64_t items = 0, votes = 0;
  ExactSum rps, emd, plugin, squared;              ///< weighted
  ExactSum vote_weight, item_weight, pair_weight;  ///< of rps; of emd and plugin; of squared
  std::vector<ReliabilityTable> thresholds;
  friend bool operator==(const OrderedSums&, const OrderedSums&) = default;
};

/// Merging is exact: any split gives the same bits as one pass.
struct EvaluateState {
  // Options that a merge must agree on.
  int classes = 0;
  int bins = 15;
  double clip = 0;
  double bandwidth = 0;  ///< of the kernel sums; 0: there are none, and the ladder gives an automatic one
  bool normalize = false;
  bool logits = false;
  bool has_truth = false;
  std::vector<std::string> class_names;
  std::int32_t ties = static_cast<std::int32_t>(Ties::lowest);  ///< a Ties; files of format 1 use `lowest`
  std::uint64_t tied = 0;                                       ///< items whose largest counts are equal
  std::uint32_t most_votes = 3;                                 ///< on one item; unknown in files of format 1
  std::uint64_t items = 0;                                      ///< all, with votes or without
  // Sums over votes, and over the majority labels.
  StreamSums votes;
  StreamSums consensus;
  BetaSums kernel;  ///< of the event over votes, with a bandwidth given: the curve `reliability_kde`
  /// Of the event over votes, for what needs order; none with weights, and in files of formats 1 and 2.
  std::optional<Ladder> ladder;
  std::optional<StateReplicates> replicates;  ///< with ⟦bootstrap⟧
  /// Hashes of the ids, ascending, where it is to be checked that none occurs twice.
  std::optional<std::vector<std::uint64_t>> ids;
  std::vector<OrderSums> orders;  ///< those asked for; none in files of formats 1 to 4
  std::optional<OrderedSums> ordered;
  friend bool operator==(const EvaluateState&, const EvaluateState&) = default;
};

/// Without replicates.
[[nodiscard]] EvaluateState evaluate_state(const Items& items, const EvaluateOptions& options);
/// Adds options.bootstrap replicates to the state of these items. The unit of resampling is the group if
/// given, otherwise the item: its id, or without `ids` its row in this part, so that another split would give
/// other replicates.
void add_replicates(const Items& items, const Names& ids, const EvaluateOptions& options,
                    EvaluateState& state);
/// From then on merge() refuses an id that occurs in both states. InputError for one that occurs twice here.
void check_ids(const Names& ids, EvaluateState& state);
void merge(EvaluateState& into, const EvaluateState& from);  ///< InputError names the option that differs
/// The streaming keys, and those of columns from the ladder; those that need all the data are null with
/// a reason. Replicates give intervals, p-values and the verdict at options.level and .tolerance.
[[nodiscard]] Result finish(const EvaluateState& state, const EvaluateOptions& options);

/// A state file: magic, kind, format version, length, payload, checksum. Reading and writing check
/// every field.
[[nodiscard]] std::string serialize(const EvaluateState& state);
[[nodiscard]] EvaluateState deserialize_state(std::string_view bytes, const std::string& name);

}  // namespace plumb
