// Two or more models, or calibrated versions of one, on the same items: every metric side by side, and paired
// bootstrap differences. A replicate draws the same units for every model, so that variation common to the
// models cancels.
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

/// Difference to - from; for keys whose ideal is 0 or 1, of the distances from the ideal.
struct Difference {
  std::size_t from = 0, to = 0;              ///< models by number
  std::optional<double> value;               ///< absent where one of the two is undefined
  std::optional<double> low, high, p_value;  ///< with replicates; the p-value is two-sided
  std::optional<double> adjusted;  ///< p-value adjusted for all metrics and pairs that were compared
};

struct ComparedMetric {
  std::string key;
  Better better = Better::neither;
  std::string interval;              ///< of the differences: "percentile" or "normal"
  std::vector<MetricResult> values;  ///< by model
  std::vector<Difference>
      differences;                  ///< from the reference to each other model; without one, of every pair
  std::optional<std::size_t> best;  ///< absent for a tie or without a better direction
  bool clear = false;               ///< every difference of the best has an adjusted p-value <= 1 - level
};

struct Wins {
  std::int64_t best = 0, clear = 0;  ///< metrics on which a model is the best, and clearly so
};

struct Comparison {
  std::vector<std::string> models;
  std::optional<std::size_t> reference;  ///< the model that all differences are taken from
  std::vector<ComparedMetric> metrics;   ///< in the registry's order
  std::vector<Wins> wins;                ///< by model
  std::vector<Result> judged;  ///< by model: the verdict that evaluate() reaches, and what it is from
  Table net_benefit;           ///< differences at the thresholds asked for; otherwise empty
  std::int64_t items = 0, classes = 0, votes = 0;
  std::string unit = "item";  ///< what was drawn, in words; of cases "case" or "group"
  int replicates = 0;         ///< drawn; no percentile p-value is below 2 / (replicates + 1)
  std::vector<std::string> notes;

  /// That of a model; nullptr for a name that is not one of the models, and for means over cases.
  [[nodiscard]] const Verdict* verdict_of(std::string_view model) const {
    for (std::size_t i = 0; i < judged.size(); ++i)
      if (models[i] == model) return &judged[i].verdict;
    return nullptr;
  }
  /// InputError for a key that was not compared.
  [[nodiscard]] const ComparedMetric& operator[](std::string_view key) const& {
    return find_named(metrics, &ComparedMetric::key, "metric", canonical_key(key));
  }
  [[nodiscard]] ComparedMetric operator[](std::string_view key) && { return std::as_const(*this)[key]; }
};

/// `options.bootstrap` replicates (0: values alone). `reference` names the model that the others are compared
/// with; empty: all pairs. The interval of a difference is percentile: the upward biases of two plug-in
/// errors largely cancel in it. For keys debiased by item it is normal, with the bootstrap's standard error.
/// Throws InputError for fewer than two models, names that are not distinct, an unknown reference, other
/// numbers of items, classes or votes.
[[nodiscard]] Comparison compare(const std::vector<NamedModel>& models,
                                 const EvaluateOptions& options = {.bootstrap = kCompareReplicates},
                                 const std::string& reference = "");

/// Interval and p-value of a difference from its replicates (exposed for tests): percentile, with twice the
/// smaller share of replicates on either side of 0 (one added to count and number), or normal.
[[nodiscard]] Difference difference_of(double value, std::vector<double> replicates, Interval interval,
                                       double level);

}  // namespace plumb
