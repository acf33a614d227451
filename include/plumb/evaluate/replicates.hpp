// StateReplicates in a state: what intervals and p-values are made of, with weights that depend only on
// (seed, replicate, unit), so that any split of the data gives the same replicates.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

/// Votes by unit, for the number of units and what they are worth. Beyond 1,024 units only sums of units that
/// share a bucket are kept.
struct VotesByUnit {
  static constexpr std::size_t kMost = 1024;
  bool exact = true;
  std::map<std::uint64_t, ExactSum> by_unit;  ///< of a bucket when not exact
  void add(std::uint64_t unit, const ExactSum& votes);
  void merge(const VotesByUnit& other);
  friend bool operator==(const VotesByUnit&, const VotesByUnit&) = default;
};

/// The event's column in each replicate: how often each distinct forecast was drawn, and its hits. With more
/// forecasts than that, by steps of a grid of log-odds, each a few rungs of the ladder.
struct ColumnDraws {
  static constexpr std::size_t kMostDistinct = 4096;
  static constexpr int kRungs = 4;  ///< in a step: 64 steps per unit of log-odds
  bool kept = true;
  bool exact = true;
  std::vector<double> p;                              ///< ascending; none on the grid
  std::vector<std::uint32_t> step;                    ///< ascending, those that have votes; none if exact
  std::vector<std::uint64_t> votes, hits, null_hits;  ///< by forecast, then replicate; null_hits may be empty
  [[nodiscard]] std::size_t size() const { return exact ? p.size() : step.size(); }
  friend bool operator==(const ColumnDraws&, const ColumnDraws&) = default;
};
/// The step of a rung of the ladder: p = 0, kRungs rungs each, p = 1.
[[nodiscard]] constexpr std::uint32_t step_of(std::uint64_t rung) {
  return static_cast<std::uint32_t>((rung + ColumnDraws::kRungs - 1) / ColumnDraws::kRungs);
}

/// What a unit of resampling is named by.
enum class UnitName : std::int32_t { group, id, row };

struct StateReplicates {
  // Options that a merge must agree on.
  std::int32_t count = 0;
  std::uint64_t seed = 0;
  std::int32_t unit = 0;  ///< a UnitName
  bool signs = false;     ///< the null: signs of whole units' residuals
  /// False where votes of a calibrated model depend on parameters fitted to all data (groups, several votes).
  bool has_null = false;
  std::vector<StreamSums> boot, null;  ///< null: tables alone
  ColumnDraws column;
  VotesByUnit units;  ///< of groups
  friend bool operator==(const StateReplicates&, const StateReplicates&) = default;
};
void merge(StateReplicates& into, const StateReplicates& from);  ///< InputError names the option that differs

}  // namespace plumb
