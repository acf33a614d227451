// Decisions at thresholds of the risk: everyone whose forecast reaches the threshold is treated.
// Sensitivity, specificity, predictive values and net benefit (Vickers and Elkin 2006) are read off two sums
// per threshold.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb {

/// What a threshold does: mass is a sum of w n, hits one of w h.
struct Decision {
  double threshold = 0;
  double treated = 0, treated_hits = 0;  ///< of forecasts >= threshold
  double mass = 0, hits = 0;             ///< of all

  // Absent where nothing is divided.
  [[nodiscard]] std::optional<double> sensitivity() const { return ratio(treated_hits, hits); }
  [[nodiscard]] std::optional<double> specificity() const {
    return ratio(untreated() - untreated_hits(), mass - hits);
  }
  [[nodiscard]] std::optional<double> ppv() const { return ratio(treated_hits, treated); }
  [[nodiscard]] std::optional<double> npv() const {
    return ratio(untreated() - untreated_hits(), untreated());
  }
  /// True positives less false positives times the odds of the threshold, per vote.
  [[nodiscard]] std::optional<double> net_benefit() const {
    return ratio(treated_hits - (treated - treated_hits) * odds(), mass);
  }
  /// That of treating everyone; treating no one has 0.
  [[nodiscard]] std::optional<double> treat_all() const { return ratio(hits - (mass - hits) * odds(), mass); }
  [[nodiscard]] double untreated() const { return mass - treated; }
  [[nodiscard]] double untreated_hits() const { return hits - treated_hits; }
  [[nodiscard]] double odds() const { return threshold / (1 - threshold); }

 private:
  [[nodiscard]] static std::optional<double> ratio(double a, double b) {
    return b > 0 ? std::optional(a / b) : std::nullopt;
  }
};

/// One for each threshold; both ascending. One walk over the column.
[[nodiscard]] std::vector<Decision> decisions(const ForecastsView& ascending,
                                              std::span<const double> thresholds);

}  // namespace plumb
