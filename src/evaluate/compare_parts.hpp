// From the scores of models in the same draws to a comparison: of items in memory and of cases.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluate/intervals.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/resample/step_down.hpp"

namespace plumb::detail {

/// With fewer groups or cases a bootstrap of them rejects far too often, so their differences are not tested.
inline constexpr std::size_t kFewestTestedUnits = 10;
inline constexpr const char* kTooFewToTest =
    "differences have no p-values: fewer than ten groups or cases are too few for a bootstrap test";

/// One model: its values, and its scores in every draw.
struct Scored {
  Observed observed;
  std::vector<std::string> notes;
  std::vector<Drawn> draws, null;      ///< null: what inversion and the verdict need
  std::optional<double> p_value = {};  ///< of the verdict
};

/// From and to, by number.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> pairs_of(std::size_t models,
                                                                        std::optional<std::size_t> reference);

/// Names and reference; InputError for fewer than two models, a name twice or an unknown reference.
void name_models(const std::vector<std::string>& models, const std::string& reference, Comparison& out);

/// Values, differences and their tests for every selected metric, then judge_models(); each model's verdict.
/// `asked`: replicates asked for, of which a single unit has none.
void add_metrics(const std::vector<Scored>& scores, const Selection& selection, const SampleSize& size,
                 int asked, const EvaluateOptions& options, Comparison& out);

/// Adjusted p-values, the best model of each metric and who wins how often. `tests` has an entry for each
/// difference with a p-value, of metrics for which one way is good, in order.
void judge_models(const std::vector<DrawnDifference>& tests, double level, Comparison& out);

}  // namespace plumb::detail
