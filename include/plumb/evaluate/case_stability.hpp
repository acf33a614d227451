// Stability of a segmentation: subsets of cases, or subsets of the voxels of each case (Riera-Marin 2025,
// whose test set is the single image). Only one case is in memory at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/evaluate/cases.hpp"
#include "plumb/evaluate/stability.hpp"

namespace plumb {

/// The one label of SingleLabel::rater is that of this column; StabilityOptions::rater is not used.
struct CaseStabilityOptions {
  StabilityOptions stability;
  std::string rater = {};
};

/// Units are the units of the cases. Sums are kept for each unit, so only metrics computed from sums are
/// available, and memory grows by a few kilobytes per unit. No precision rows by number of votes.
[[nodiscard]] Stability stability_over_cases(std::span<const std::string> names,
                                             const std::function<Case(std::int64_t)>& read,
                                             const CaseStabilityOptions& options);

/// Mean and standard deviation (n - 1; absent for one case) over cases.
struct OverCases {
  double mean = 0;
  std::optional<double> sd;
  std::int64_t cases = 0;
};
struct CaseVariation {
  std::string name;
  std::int64_t items = 0, votes = 0;
  std::vector<EstimatorStability> estimators;
};
struct WithinEstimator {
  std::string key;
  OverCases multi, single;  ///< of the total variation of a case, its mean over repeats
  OverCases ratio;          ///< of single over multi, case by case
};
struct WithinCases {
  std::vector<double> fractions;
  std::int64_t items = 0, votes = 0;
  std::vector<CaseVariation> cases;
  std::vector<WithinEstimator> estimators;
};
/// Each case by itself, its voxels as units.
[[nodiscard]] WithinCases stability_within_cases(std::span<const std::string> names,
                                                 const std::function<Case(std::int64_t)>& read,
                                                 const CaseStabilityOptions& options);

}  // namespace plumb
