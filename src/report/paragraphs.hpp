// Sentences at a terminal: options spelled, lines broken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/digits.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb::detail {

using plumb::thousands;
/// What may be shown of a sentence, before it is laid out.
[[nodiscard]] std::string spelled(const std::string& sentence, const TerminalOptions& options);
/// Indented by two spaces, lines after the first by four.
[[nodiscard]] std::string paragraphs(const std::vector<std::string>& sentences,
                                     const TerminalOptions& options);
/// The title and, below it, the verdict.
[[nodiscard]] std::string opening(const std::string& title, const Result& result,
                                  const TerminalOptions& options);
/// What to run next; the command stands on lines of its own, as a shell takes them.
[[nodiscard]] std::string next_lines(const Result& result, const TerminalOptions& options);
/// The metrics without a value; those that have one reason share a paragraph.
[[nodiscard]] std::string undefined_keys(const MetricResults& metrics, const TerminalOptions& options);

}  // namespace plumb::detail
