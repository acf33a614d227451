// A sentence about a result, with its claims in a form that a program can check. A claim must be supported by
// the inference behind it, and no two claims about one result may contradict each other.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::detail {

enum class Claim {
  trustworthy,  ///< the error is below the tolerance
  off,          ///< the error is above the tolerance, or most likely so
  undecided,    ///< neither of the two
  too_high,     ///< forecasts of the event, or confidence, exceed what happens
  too_low,
  mean_by_chance,  ///< the mean forecast differs by no more than chance explains
  too_extreme,     ///< slope below 1
  too_timid,
  within_tolerance,  ///< the error is within the tolerance
  beyond_chance,     ///< the calibration error is not chance alone
  by_chance,         ///< chance alone may explain it
  below_guessing,    ///< the columns are probably in another order than the labels
  sigma_too_small,   ///< regression: standard deviations
  sigma_too_large,
  errors_above,  ///< regression: the mean squared error exceeds the mean variance
  errors_below,
  sigma_mixed,         ///< regression: too small for some items and too large for others
  advise_replicates,   ///< next: the same with replicates, or with more of them
  advise_calibrator,   ///< next: fit a calibrator
  advise_items,        ///< next: a larger test set
  advise_suspects,     ///< next: look at single answers
  advise_class_order,  ///< next: compare columns and labels
};
inline constexpr int kClaims = static_cast<int>(Claim::advise_class_order) + 1;
[[nodiscard]] std::string_view claim_name(Claim claim);

struct Sentence {
  std::string text;
  std::vector<Claim> claims = {};
};

/// "off, trustworthy": claims that cannot all be true, and claims without their premise; empty when the
/// sentences agree.
[[nodiscard]] std::vector<std::string> contradictions(std::span<const Sentence> sentences);
[[nodiscard]] std::vector<Claim> claims_of(std::span<const Sentence> sentences);

}  // namespace plumb::detail
