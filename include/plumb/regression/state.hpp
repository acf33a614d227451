// The mergeable part of a regression's evaluation: what shards save, what `plumb merge` adds up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/regression/evaluate.hpp"
#include "plumb/regression/sums.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// Merging is exact: any split gives the same bits as one pass.
struct RegressionState {
  // What a merge must agree on.
  int bins = 15;
  double clip = 0;
  bool has_range = false;  ///< the bins of uce are given; an automatic range needs all the data
  RegressionRange range;
  bool parts = false;       ///< the variance came in its parts
  std::uint64_t items = 0;  ///< all, of whatever weight
  RegressionSums sums;
  friend bool operator==(const RegressionState&, const RegressionState&) = default;
};

[[nodiscard]] RegressionState regression_state(const RegressionItems& items,
                                               const RegressionOptions& options);
/// From the sums of a pass over all items with ranges as evaluate_regression chooses them.
[[nodiscard]] RegressionState regression_state(const RegressionItems& items, const RegressionOptions& options,
                                               RegressionSums sums);
void merge(RegressionState& into, const RegressionState& from);  ///< InputError names the option that differs
/// The streaming keys; those that need all the data are null with a reason.
[[nodiscard]] Result finish(const RegressionState& state, const RegressionOptions& options);

[[nodiscard]] bool is_regression_state(std::string_view bytes);
[[nodiscard]] std::string serialize(const RegressionState& state);
[[nodiscard]] RegressionState deserialize_regression_state(std::string_view bytes, const std::string& name);

}  // namespace plumb
