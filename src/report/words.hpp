// The sentences about a result of classes, with their claims.
#pragma once

#include <vector>

#include "plumb/result.hpp"
#include "report/sentence.hpp"

namespace plumb::detail {

/// Mean forecast and how often the event happened. Whether the two differ is claimed from the p-value of
/// mean_gap alone, which knows of groups, votes and weights; without one the sentence claims nothing.
[[nodiscard]] Sentence mean_words(const Result& result);
/// All of them but the verdict (verdict_words.hpp).
[[nodiscard]] std::vector<Sentence> result_sentences(const Result& result);
/// The same of a regression.
[[nodiscard]] std::vector<Sentence> regression_sentences(const Result& result);

}  // namespace plumb::detail
