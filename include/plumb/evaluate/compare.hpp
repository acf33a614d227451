// Two or more models, or calibrated versions of one, on the same items: every metric side by side, and paired
// bootstrap differences. A replicate draws the same units for every model, so that what the models have in
// common cancels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/registry.hpp"
#include "plumb/result.hpp"

namespace plumb {

inline constexpr int kCompareReplicates = 200;

struct NamedModel {
  std::string name;
  Items items;  ///< the same votes, weights and groups for every model
};

/// to less from; for keys whose ideal is 0 or 1, of the distances from it.
struct Difference {
  std::size_t from = 0, to = 0;              ///< models by number, from < to
  std::optional<double> value;               ///< absent where one of the two is undefined
  std::optional<double> low, high, p_value;  ///< with replicates; the p-value is two-sided
};

struct ComparedMetric {
  std::string key;
  Better better = Better::neither;
  std::string interval;                 ///< "percentile" or "basic"
  std::vector<MetricResult> values;     ///< by model
  std::vector<Difference> differences;  ///< of every pair
  std::optional<std::size_t> best;      ///< absent for a tie, or where no way is good
  bool clear = false;                   ///< the best differs from each of the others at the level
};

struct Wins {
  std::int64_t best = 0, clear = 0;  ///< metrics on which a model is the best, and clearly so
};

struct Comparison {
  std::vector<std::string> models;
  std::vector<ComparedMetric> metrics;  ///< in the registry's order
  std::vector<Wins> wins;               ///< by model
  std::int64_t items = 0, classes = 0, votes = 0;
  std::vector<std::string> notes;

  /// InputError for a key that was not compared.
  [[nodiscard]] const ComparedMetric& operator[](std::string_view key) const& {
    return find_named(metrics, &ComparedMetric::key, "metric", canonical_key(key));
  }
  [[nodiscard]] ComparedMetric operator[](std::string_view key) && { return std::as_const(*this)[key]; }
};

/// `options.bootstrap` replicates (0: values alone). A difference has the interval of its key: percentile, or
/// basic (2 d - quantiles) for plug-in calibration errors; the p-value is twice the smaller share of
/// replicates beyond 0 (basic: beyond 2 d), each with one added, so that it is small where the interval
/// leaves 0 out. Throws InputError for fewer than two models, names that are not distinct, other numbers of
/// items or classes.
[[nodiscard]] Comparison compare(const std::vector<NamedModel>& models,
                                 const EvaluateOptions& options = {.bootstrap = kCompareReplicates});

/// Interval and p-value of a difference from its replicates (exposed for tests).
[[nodiscard]] Difference difference_of(double value, std::vector<double> replicates, Interval interval,
                                       double level);

}  // namespace plumb
