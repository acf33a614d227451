// Conformal risk control (Angelopoulos 2024) of the false-negative rate: the probability from which a voxel
// is marked, so that on average the mask of a new case misses no more than a given share of what raters mark.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/calibrate/step.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

/// Cases one after the other, in bounded memory. The loss of a case at threshold t is the share of its votes
/// for class 1 on items with p < t; it is 0 without such votes. It grows with t, and t is chosen among
/// multiples of 2^-16.
class RiskControl {
 public:
  RiskControl();
  /// A case: binary items, whose groups do not matter. Items of weight 0 and weights are not allowed.
  void add_case(const Items& items);
  /// The same with a case for each group of the items; without groups each item is one.
  void add_groups(const Items& items);
  [[nodiscard]] std::int64_t cases() const { return cases_; }
  /// A step "sets" whose sets are {1} where p >= t and {0} elsewhere. For each level t is the largest with
  /// (sum of losses + 1)/(cases + 1) <= 1 - level: the mask of a new case finds on average at least this
  /// share of the votes for class 1, whatever the model, if new and old cases are exchangeable. Where so few
  /// cases cannot promise a level, t = 0 marks everything, with a warning.
  [[nodiscard]] Step step(const std::vector<double>& levels) const;

 private:
  /// Where p lies among the thresholds: p >= j 2^-16 exactly if the cell is j or above.
  void close(std::vector<std::pair<std::uint32_t, std::uint64_t>>& hits);

  std::vector<std::uint64_t> found_;  // by cell: share of a case's votes for class 1, in units of 2^-40
  std::int64_t cases_ = 0, with_event_ = 0, items_ = 0, votes_ = 0;
};

}  // namespace plumb
