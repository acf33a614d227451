// The sentences about a result of classes, with their claims.
#pragma once

#include <vector>

#include "plumb/result.hpp"
#include "report/said.hpp"

namespace plumb::detail {

/// Mean forecast and how often the event happened. Whether the two differ is claimed from the p-value of
/// mean_gap alone, which knows of groups, votes and weights; without one the sentence claims nothing.
[[nodiscard]] Said mean_words(const Result& result);
/// All of them but the verdict (verdict_words.hpp).
[[nodiscard]] std::vector<Said> said_of(const Result& result);
/// The same of a regression.
[[nodiscard]] std::vector<Said> said_of_regression(const Result& result);

}  // namespace plumb::detail
