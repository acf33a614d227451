// Whether probabilities can be trusted: decided here once, from bounds and one p-value.
#pragma once

#include "evaluate/intervals.hpp"

namespace plumb::detail {

/// What a verdict rests on.
struct Evidence {
  double level = 0.95, tolerance = 0.05;
  int draws = 0;           ///< replicates behind the p-value
  std::int64_t units = 0;  ///< items or groups
  bool grouped = false;
  double estimate = 0;                 ///< of the error, its bias removed
  double low = 0;                      ///< lower bound of the two-sided interval
  double high = 1;                     ///< one-sided CLs bound
  double needed = 0;                   ///< units at which a calibrated model's bound is the tolerance
  std::optional<double> p_value = {};  ///< of the omnibus test
};

/// trustworthy: high < tolerance. Else off: p_value <= 1 - level and estimate > tolerance. Else cannot tell.
[[nodiscard]] Verdict decide(const Evidence& evidence);
/// None, because nothing was resampled.
[[nodiscard]] Verdict no_verdict(double tolerance);
/// The verdict on an evaluation; without draws `why` says what is missing. `asked`: replicates asked for.
[[nodiscard]] Verdict judge(const Inference& inference, std::optional<double> omnibus, int asked,
                            const EvaluateOptions& options);

}  // namespace plumb::detail
