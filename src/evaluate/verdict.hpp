// Whether probabilities can be trusted: decided here once, from bounds and one p-value.
#pragma once

#include "evaluate/intervals.hpp"

namespace plumb::detail {

/// The evidence for a verdict.
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

/// trustworthy: high < tolerance. Otherwise off: p_value <= 1 - level and estimate > tolerance. Otherwise
/// cannot tell.
[[nodiscard]] Verdict decide(const Evidence& evidence);
/// If the tolerance is larger than the share of an outcome, forecasts that are wrong by a factor may
/// be within it: a sentence that says so and what to do; otherwise empty. Not binary: the event is a
/// right answer.
[[nodiscard]] std::string rare_outcome_warning(double observed, double forecast, bool binary,
                                               double tolerance);
/// No verdict, because nothing was resampled.
[[nodiscard]] Verdict no_verdict(double tolerance);
/// The verdict on an evaluation; without draws `why` says what is missing. `asked`: replicates asked for.
[[nodiscard]] Verdict judge(const Inference& inference, std::optional<double> omnibus, int asked,
                            const EvaluateOptions& options);

}  // namespace plumb::detail
