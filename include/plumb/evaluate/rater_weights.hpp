// Raters who count differently: votes weighted by rater, and the evaluation without each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/evaluate/evaluate.hpp"

namespace plumb {

/// Each vote of rater r as weight[r] votes, after all weights were brought to whole numbers without a common
/// divisor: 1 and 0.5 become 2 and 1. A weight has at most three digits after the point; 0 leaves a rater
/// out. InputError unless the raters are known.
[[nodiscard]] Votes weighted_votes(const Votes& votes, std::span<const double> weight);

/// The keys that are evaluated by default, or those asked for, where the votes of an item are not
/// exchangeable votes of one each: metrics of pairs of votes are left out. InputError for one asked for
/// by name.
[[nodiscard]] std::vector<std::string> keys_without_pairs(const EvaluateOptions& options, bool binary);

/// Largest number of raters that are left out one by one: each is an evaluation of nearly all data.
inline constexpr int kMostLeftOut = 200;

struct WithoutRater {
  std::string rater;       ///< who was left out
  std::int64_t votes = 0;  ///< that remain
  std::vector<std::pair<std::string, std::optional<double>>> metrics;
};
/// How far a metric depends on who rated.
struct RaterInfluence {
  std::string key;
  double value = 0;                ///< with all raters
  double lowest = 0, highest = 0;  ///< without one of them
  std::string rater;               ///< whose absence changes it most
  double change = 0;               ///< value without that rater - value
};
struct LeaveOneOut {
  std::vector<WithoutRater> raters;
  std::vector<RaterInfluence> influence;
};
/// The headline metrics and those asked for by name, without intervals, with the votes of one rater left out
/// at a time. `all`: the metrics with all raters. InputError for fewer than two raters or too many.
[[nodiscard]] LeaveOneOut leave_one_rater_out(const Items& items, const EvaluateOptions& options,
                                              const MetricResults& all);

}  // namespace plumb
