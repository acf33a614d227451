// Many images, one in memory at a time: each is evaluated by itself, and its sums are added to those of all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb {

/// One image or volume: its voxels are the items.
struct Case {
  std::string name;
  std::string unit;                       ///< of resampling: the patient if known, otherwise the case
  std::vector<std::string> slices;        ///< one for each of CasesOptions::by
  std::vector<std::string> raters;        ///< names of the columns, when the votes are ratings
  Items items;                            ///< without weights and groups
  double voxel_mm3 = 0;                   ///< volume of a voxel; 0: unknown
  bool has_background = true;             ///< the first class is not a structure
  std::vector<std::uint32_t> bands = {};  ///< bit k - 1: near the boundary of structure k; empty: unknown
  std::int64_t even = 0;                  ///< voxels whose structures had no probability and got equal shares
};

/// Where the sums of finished cases are kept, so that a run can be resumed; in memory or in a file.
struct CaseStore {
  std::string name;                                              ///< for messages
  std::function<std::optional<std::string>(std::int64_t)> load;  ///< nothing: the case is to be read
  std::function<void(std::int64_t, const std::string& bytes)> save;
};

struct CasesOptions {
  EvaluateOptions evaluate;
  std::vector<std::string> by = {};  ///< columns to report on
  bool grouped = false;              ///< units are groups of cases
  bool chosen_by_votes = false;      ///< items were selected by their votes: no test of calibration is valid
  bool skip_errors = false;          ///< a case that cannot be read is listed and left out
  bool regions = false;              ///< also where raters agree, where not, and near boundaries
  CaseStore store = {};              ///< empty: finished cases are not kept
};

/// Cases are evaluated one after the other, while the next one is read (on many threads several small ones,
/// so `read` is called from other threads, side by side). Sums over all voxels are exact; what needs them in
/// order goes by the ladder (metrics/ordered/ladder.hpp). Intervals draw units. Throws InputError, which
/// names the case.
[[nodiscard]] Result evaluate_cases(std::span<const std::string> names,
                                    const std::function<Case(std::int64_t)>& read,
                                    const CasesOptions& options, EvaluateState* state = nullptr);

}  // namespace plumb
