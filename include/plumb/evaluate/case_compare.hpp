// Two or more models on the same cases: differences of the pooled metrics and of means over cases, from the
// same draws of cases. Two cases are in memory at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumb/evaluate/cases.hpp"
#include "plumb/evaluate/compare.hpp"

namespace plumb {

struct CaseModel {
  std::string name;
  std::function<Case(std::int64_t)> read;  ///< cases in the same order for every model, with the same votes
};

struct CaseComparison {
  Comparison pooled;  ///< over the votes of all voxels
  /// Means over cases of each metric for which lower or higher is better, cases with a value for every model;
  /// `items` are cases. Intervals are percentile. p-values are adjusted among themselves.
  Comparison means;
};

/// Only metrics of sums: one asked for by name that needs an order is an InputError. The differences are
/// those of compare() on all voxels with the units as groups, bit for bit. Throws InputError, which names
/// case and model, also for votes that differ.
[[nodiscard]] CaseComparison compare_cases(std::span<const std::string> names,
                                           const std::vector<CaseModel>& models, const CasesOptions& options,
                                           const std::string& reference = "");

}  // namespace plumb
