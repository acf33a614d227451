// Many images, one in memory at a time: each is evaluated by itself, and its sums are added to those of all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb {

/// One image or volume: its voxels are the items.
struct Case {
  std::string name;
  std::string unit;                 ///< of resampling: the patient, else the case
  std::vector<std::string> slices;  ///< one for each of CasesOptions::by
  std::vector<std::string> raters;  ///< names of the columns, when the votes are ratings
  Items items;                      ///< without weights and groups
};

struct CasesOptions {
  EvaluateOptions evaluate;
  std::vector<std::string> by = {};  ///< columns to report on
  bool grouped = false;              ///< units are groups of cases
  bool chosen_by_votes = false;      ///< items were left out for their votes: no test of calibration holds
  bool skip_errors = false;          ///< a case that cannot be read is listed and left out
};

/// Cases are read one after the other, the next one while the last is evaluated (from one other thread). Sums
/// over all voxels are exact; what needs them in order goes by the ladder (metrics/ordered/ladder.hpp).
/// Intervals draw units. Throws InputError, which names the case.
[[nodiscard]] Result evaluate_cases(std::span<const std::string> names,
                                    const std::function<Case(std::int64_t)>& read,
                                    const CasesOptions& options, EvaluateState* state = nullptr);

}  // namespace plumb
