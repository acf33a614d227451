// The one way to score a regression: prepared once, then scores for every draw.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/numeric/progress.hpp"
#include "plumb/regression/evaluate.hpp"
#include "regression/runs.hpp"

namespace plumb::detail {

struct RegressionSelection {
  std::vector<const MetricRow*> rows;  ///< in the registry's order
  RegressionProductSet needs;          ///< of all of them
  std::string_view without_parts;      ///< a key asked for by name that needs the parts
};
/// The keys asked for, or all, that data with or without `parts` of the variance can have. InputError when
/// there is no such key.
[[nodiscard]] RegressionSelection select_regression(std::span<const std::string> keys, bool parts);

/// How often each item counts: once, or as often as a Poisson resample drew its unit.
struct RegressionDraw {
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> replicate = {};
  void count(std::span<const std::uint64_t> units, std::span<std::uint32_t> times) const;
};

class PreparedRegression {
 public:
  /// Chooses the bins and sorts what has to be sorted; the arguments must outlive this.
  PreparedRegression(const RegressionItems& items, const RegressionSelection& selection,
                     const RegressionOptions& options);

  [[nodiscard]] const RegressionPlan& plan() const { return plan_; }
  /// Null when no selected metric needs a sort.
  [[nodiscard]] const OrderedRegression* columns() const { return columns_ ? &*columns_ : nullptr; }

  /// The data as they are, with all the bins there are: tables and states hold them, selected or not.
  /// InputError when no item has weight.
  [[nodiscard]] RegressionProducts products() const;
  [[nodiscard]] Scores finish(const RegressionProducts& products) const;
  [[nodiscard]] std::vector<Scores> score(std::span<const RegressionDraw> draws, Progress& progress) const;

 private:
  const RegressionItems& items_;
  const RegressionSelection& selection_;
  const RegressionOptions& options_;
  RegressionPlan plan_;
  std::optional<OrderedRegression> columns_;
};

}  // namespace plumb::detail
