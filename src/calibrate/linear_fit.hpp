// A linear softmax fit from the identity, its part of the report, and its map.
#pragma once

#include <string_view>

#include "calibrate/linear_softmax.hpp"
#include "calibrate/rows.hpp"

namespace plumb::detail {

struct LinearFit {
  std::vector<double> w;  ///< K or K x K
  std::vector<double> b;
  FitReport report;
};
[[nodiscard]] LinearFit fit_linear(const Items& items, const Tally& tally, const FitData& data, bool full,
                                   Ridge ridge, const FitOptions& options, FitReport report = {});

/// softmax(W u + b) with W full or diagonal, on logits or on log-probabilities.
struct LinearMap {
  int classes = 0;
  std::vector<double> w;   ///< K (diagonal) or K x K
  std::vector<double> b;   ///< K
  double temperature = 0;  ///< 0: u are the logits; otherwise log softmax(logits / T), clipped
};
[[nodiscard]] MapPtr make_linear_map(LinearMap map);

/// The iterations' part of a report, with a sentence when they did not reach the tolerance.
void describe(const Minimum& minimum, FitReport& report);

/// The option, otherwise the default; InputError when negative or not finite. Echoed in the report.
[[nodiscard]] double strength(const std::optional<double>& given, double fallback, std::string_view name,
                              FitReport& report);

}  // namespace plumb::detail
