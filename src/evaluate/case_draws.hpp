// Resamples of cases: every sum of a case enters a replicate as often as its unit was drawn.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluate/intervals.hpp"
#include "evaluate/sample_size.hpp"

namespace plumb::detail {

/// Adds the sums of items that a draw has `times` times over: weights are multiplied by `times`, squares by
/// its square.
void merge_times(StreamSums& into, const StreamSums& from, std::uint32_t times);

/// The table with all residuals negated: hits become n p - (hits - n p).
[[nodiscard]] ReliabilityTable with_residuals_negated(const ReliabilityTable& table);

/// Null tables have turned residuals, from which only sizes of gaps can be read.
[[nodiscard]] bool read_from_signs(const MetricRow& row);

/// One set of sums for each replicate, whatever the number of cases.
class CaseDraws {
 public:
  CaseDraws(const EvaluateOptions& options, int classes);
  void add(const std::string& unit, const StreamSums& sums);
  [[nodiscard]] SampleSize size(bool several_votes) const;
  /// Poisson counts by unit.
  [[nodiscard]] std::vector<Drawn> boot(const Selection& part, const FinishOptions& options) const;
  /// Whole units change the sign of their residuals: what a calibrated model's would do by chance.
  [[nodiscard]] std::vector<Drawn> null(const Selection& part, const FinishOptions& options) const;

 private:
  std::uint64_t seed_;
  std::map<std::string, std::uint64_t> votes_;  // by unit
  std::vector<StreamSums> boot_, null_;         // null_: tables alone
};

}  // namespace plumb::detail
