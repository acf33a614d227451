// What is said about a result: a sentence, and what it claims in a form that a program can check. No claim is
// made that the inference behind it does not carry,
// and no two claims of one result may contradict each other.
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
  within_tolerance,  ///< what the sentence says is a fault that the tolerance allows
  beyond_chance,     ///< the calibration error is not chance alone
  by_chance,         ///< chance alone may explain it
  below_guessing,    ///< the columns are most likely in another order than the labels
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

struct Said {
  std::string text;
  std::vector<Claim> claims = {};
};

/// "off, trustworthy": claims that cannot all be true, and claims that lack what they rest on; empty when
/// the sentences agree.
[[nodiscard]] std::vector<std::string> contradictions(std::span<const Said> sentences);
[[nodiscard]] std::vector<Claim> claims_of(std::span<const Said> sentences);

}  // namespace plumb::detail
