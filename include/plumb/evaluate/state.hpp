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
#include "plumb/metrics/kernel/beta_sums.hpp"
#include "plumb/metrics/ordered/ladder.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/log_decomposition.hpp"
#include "plumb/metrics/raters/share_table.hpp"
#include "plumb/metrics/streaming/proper_scores.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb {

/// All sums that the streaming metrics are computed from.
struct StreamSums {
  ReliabilityTable event;
  std::vector<ReliabilityTable> by_class;  ///< K tables (binary: 2), or none when no key needs them
  ProperScores scores;
  EventLogLoss event_log;
  ShareTables histogram, disagreement;
  Agreement agreement;
  bool several_votes = false;  ///< some item has two votes or more
  void merge(const StreamSums& other);
  friend bool operator==(const StreamSums&, const StreamSums&) = default;
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
  friend bool operator==(const EvaluateState&, const EvaluateState&) = default;
};

[[nodiscard]] EvaluateState evaluate_state(const Items& items, const EvaluateOptions& options);
void merge(EvaluateState& into, const EvaluateState& from);  ///< InputError names the option that differs
/// The streaming keys, and those of columns from the ladder; those that need all the data are null with
/// a reason.
[[nodiscard]] Result finish(const EvaluateState& state, const EvaluateOptions& options);

/// A state file: magic, kind, format version, length, payload, checksum. Reading and writing check
/// every field.
[[nodiscard]] std::string serialize(const EvaluateState& state);
[[nodiscard]] EvaluateState deserialize_state(std::string_view bytes, const std::string& name);

}  // namespace plumb
