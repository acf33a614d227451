// The result for the terminal: a short table and its meaning in plain words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plumb/data/option_name.hpp"
#include "plumb/registry.hpp"
#include "plumb/result.hpp"

namespace plumb {

struct TerminalOptions {
  bool colour = false;
  int width = 100;              ///< maximum line length, where possible
  bool all = false;             ///< every key, not only the headlines
  Spelling spelling = kMember;  ///< of options in sentences
};

[[nodiscard]] std::string render_terminal(const Result& result, const TerminalOptions& options);

/// The verdict and its reason in one sentence, or why there is none. Empty for commands that do not evaluate
/// a model.
[[nodiscard]] std::string verdict_sentence(const Result& result, const Spelling& spelling = kMember);

/// One sentence per headline: mean forecast, slope, size of the error, scores, raters, worst class.
[[nodiscard]] std::vector<std::string> plain_words(const Result& result, const Spelling& spelling = kMember);

/// The registry as a table: what `plumb list` prints. With `measured` the cost is in nanoseconds per row if
/// it was measured.
[[nodiscard]] std::string render_list(std::span<const MetricRow> metrics, const TerminalOptions& options,
                                      bool measured = false);

}  // namespace plumb
