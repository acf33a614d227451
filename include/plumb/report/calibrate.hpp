// What a fit did and what a model file contains, as text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb {

struct FitSummary {
  CalibrationModel model;
  std::vector<BeforeAfter> scores;  ///< on the data that the model was fitted on
  std::vector<LeagueRow> league;    ///< of auto
  bool cross_fit = true;            ///< such data can be cross-fitted
};

/// The league, the new steps, and scores before and after, marked as those of the fitting data.
[[nodiscard]] std::string render_fit(const FitSummary& summary, const TerminalOptions& options);
/// The new step of a calibrator of variances and, where there are scores, the same.
[[nodiscard]] std::string render_regression_fit(const Step& step, const std::vector<BeforeAfter>& scores);
/// What `plumb calibrate show` prints.
[[nodiscard]] std::string render_model(const CalibrationModel& model, const TerminalOptions& options);
/// Name and line of each method, wrapped.
[[nodiscard]] std::string render_methods(const std::vector<std::pair<std::string, std::string>>& lines,
                                         const TerminalOptions& options);
/// The part of `plumb list` about calibrators.
[[nodiscard]] std::string render_calibrators(std::span<const CalibratorRow> rows,
                                             const TerminalOptions& options);

}  // namespace plumb
