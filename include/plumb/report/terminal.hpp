// The result for a reader at a terminal: a short table and what it says in plain words.
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
  int width = 100;              ///< lines are no longer where that can be helped
  bool all = false;             ///< every key, not only the headlines
  Spelling spelling = kMember;  ///< of options in sentences
};

[[nodiscard]] std::string render_terminal(const Result& result, const TerminalOptions& options);

/// The verdict and what it rests on, in one sentence; why there is none where there is none. Empty for
/// commands that judge no model.
[[nodiscard]] std::string verdict_sentence(const Result& result, const Spelling& spelling = kMember);

/// One sentence per headline: mean forecast, slope, size of the error, scores, raters, worst class.
[[nodiscard]] std::vector<std::string> plain_words(const Result& result, const Spelling& spelling = kMember);

/// The registry as a table: what `plumb list` prints.
/// With `measured` the cost is told in nanoseconds a row, as measured, where it was.
[[nodiscard]] std::string render_list(std::span<const MetricRow> metrics, const TerminalOptions& options,
                                      bool measured = false);

}  // namespace plumb
