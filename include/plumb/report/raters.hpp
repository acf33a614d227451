// The result of `plumb raters`, for JSON and for the terminal.
#pragma once

#include <string>
#include <vector>

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/raters/raters.hpp"
#include "plumb/report/terminal.hpp"
#include "plumb/report/uncertainty.hpp"

namespace plumb {

/// Adds settings, the sections "dawid_skene", "agreement" and "votes_needed", and the tables prevalence,
/// rater_profiles, rater_confusion, rater_bias, rater_kappas and ask.
void add_raters(const RatersResult& r, const RatersOptions& o, const Votes& votes, const ItemNames& names,
                Result& result);

/// The raters from the most to the least accurate, their agreement, and what to ask next.
[[nodiscard]] std::string render_raters(const RatersResult& r, const RatersOptions& o, const Votes& votes,
                                        const ItemNames& names, const TerminalOptions& options);

/// The consensus calibrated on gold votes by `method`; scores before and after, out of `folds` folds. Adds
/// the section "calibrated_consensus".
void add_calibrated_consensus(const std::string& method, int folds, const std::vector<BeforeAfter>& scores,
                              Result& result);
[[nodiscard]] std::string render_calibrated_consensus(const std::string& method, int folds,
                                                      const std::vector<BeforeAfter>& scores);

}  // namespace plumb
