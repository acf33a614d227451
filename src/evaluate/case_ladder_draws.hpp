// Resamples of cases for metrics that need sorted forecasts: votes and hits of each rung by replicate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/ladder_scores.hpp"
#include "evaluate/prepared.hpp"

namespace plumb::detail {

/// On the grid of log-odds, also where the ladder itself is exact: a replicate has its votes at the means of
/// the rungs over all cases. A quarter of a megabyte for each replicate, whatever the number of cases.
class LadderDraws {
 public:
  /// More replicates than these would take too much memory.
  static constexpr std::int32_t kMost = 1000;
  explicit LadderDraws(const EvaluateOptions& options)
      : seed_(options.seed), counts_(static_cast<std::size_t>(options.bootstrap)) {}
  /// Metrics of `part` that are resampled.
  [[nodiscard]] static Selection resampled(const Selection& part);
  /// A case, of which each replicate has as many as its unit was drawn.
  void add(const std::string& unit, const Ladder& ladder);
  /// Adds the scores of each replicate; `all` is the ladder of all cases.
  void score(const Selection& selection, const Ladder& all, const EvaluateOptions& options,
             std::vector<Drawn>& draws) const;

 private:
  struct Counts {
    std::uint64_t votes = 0, hits = 0;
  };
  std::uint64_t seed_;
  std::vector<std::vector<Counts>> counts_;  // by replicate and rung
};

}  // namespace plumb::detail
