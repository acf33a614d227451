// Tables of decisions at thresholds: those that were asked for, and the decision curve.
#pragma once

#include <vector>

#include "evaluate/prepared.hpp"
#include "evaluate/sample_size.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Thresholds of all decisions, ascending: those asked for, and 0.01 to 0.99 for the curve. Empty when none
/// was asked for.
[[nodiscard]] std::vector<double> decision_thresholds(const EvaluateOptions& options);

/// InputError unless the task is binary and every threshold lies between 0 and 1.
void check_thresholds(const EvaluateOptions& options, bool binary);

/// Adds the tables "thresholds" and "decision_curve". Shares of single votes have Wilson's interval; others
/// Wilson's with the effective number from the bootstrap. Net benefit has a percentile interval.
void add_decision_tables(const Observed& observed, const std::vector<Drawn>& draws, const SampleSize& size,
                         const EvaluateOptions& options, Result& result);

/// Differences of net benefit at the thresholds asked for, for each pair of models by number:
/// table "net_benefit".
[[nodiscard]] Table net_benefit_differences(const std::vector<std::string>& models,
                                            const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                                            const std::vector<const std::vector<Decision>*>& observed,
                                            const std::vector<const std::vector<Drawn>*>& draws,
                                            const EvaluateOptions& options);

}  // namespace plumb::detail
