// Results by case: a short table for the terminal, and the whole as CSV.
#pragma once

#include <string>

#include "plumb/result.hpp"

namespace plumb {

/// Means and spread over cases, and the values of each rater, of the headline metrics; empty when the result
/// has no cases.
[[nodiscard]] std::string render_cases(const Result& result);
/// A row for each case: case, group where there is one, items, votes, then a column for each metric.
[[nodiscard]] std::string cases_csv(const Result& result);

}  // namespace plumb
