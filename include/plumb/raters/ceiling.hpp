// The human ceiling: each rater is scored against the others, and the model against the same votes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

/// One score of a rater and of the model, on the items that the rater and another one rated, against the
/// votes of the others. Every item counts once, with the mean over those votes.
struct CeilingScore {
  std::string key;  ///< "agreement", "brier", and of ordered classes "rps"
  double rater = 0, model = 0;
  std::optional<double> low, high;  ///< normal interval of model - rater, paired by unit
  [[nodiscard]] double difference() const { return model - rater; }
};
struct CeilingRow {
  int rater = 0;
  std::int64_t items = 0;  ///< 0: the rater shares no item with another, and there are no scores
  std::vector<CeilingScore> scores;
};

/// The model among the raters, by one score.
struct CeilingSummary {
  std::string key;
  int raters = 0;          ///< with scores
  int farther = 0;         ///< raters who are farther from the others than the model is from the same votes
  int surely_farther = 0;  ///< of these, with an interval of the difference without 0
  int surely_nearer = 0;   ///< raters whom the model does not reach, with such an interval
  double median_rater = 0, best_rater = 0;
  int best = 0;             ///< the rater of the best value: the human ceiling
  double median_model = 0;  ///< of the values of the model beside each rater
};
/// One for each score of the rows; none without rows that have scores.
[[nodiscard]] std::vector<CeilingSummary> summarise_ceiling(const std::vector<CeilingRow>& rows);

/// agreement: share of the others' votes equal to the label (of the model: to its most probable class, ties:
/// lowest). brier: sum_k (z_k - y_k)^2, a label being a forecast of 1 for its class. rps: sum over thresholds
/// of the squared difference of cumulative probabilities over K - 1. Each rater's vote on an item is its
/// last one. Throws InputError unless raters are known.
[[nodiscard]] std::vector<CeilingRow> human_ceiling(const Items& items, bool ordered, double level);

}  // namespace plumb
