// The verdict of a result in one sentence. It is decided elsewhere (Result.verdict); every front end uses
// these words.
#pragma once

#include <string>
#include <string_view>

#include "plumb/result.hpp"
#include "report/sentence.hpp"

namespace plumb::detail {

/// Empty for commands that do not evaluate a model. Options are marked.
[[nodiscard]] Sentence verdict_words(const Result& result);
/// The same without its name, as a clause: "the ECE is at most 0.0231 with 95% confidence, ...".
[[nodiscard]] std::string verdict_reason(const Result& result);
/// "Trustworthy", "Off", "Clearly off", "Cannot tell", "No verdict".
[[nodiscard]] std::string_view verdict_name(const Verdict& verdict);

/// "95%", of the intervals.
[[nodiscard]] std::string level_text(const Result& result);
[[nodiscard]] std::string level_text(double level);
/// "p = 0.031", or "p <= 0.0050" where no smaller one is possible with so many replicates.
[[nodiscard]] std::string p_text(double p, std::int64_t replicates);
/// The same without "p = ": "0.0310", "<= 0.0050".
[[nodiscard]] std::string p_cell(double p, std::int64_t replicates);
[[nodiscard]] bool at_floor(double p, std::int64_t replicates);

}  // namespace plumb::detail
