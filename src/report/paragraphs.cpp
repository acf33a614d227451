#include "report/paragraphs.hpp"

#include <algorithm>

#include "report/next_step.hpp"
#include "report/text_table.hpp"
#include "report/verdict_words.hpp"

namespace plumb::detail {

std::string spelled(const std::string& sentence, const TerminalOptions& o) {
  return printable(spell(sentence, o.spelling));
}

std::string paragraphs(const std::vector<std::string>& sentences, const TerminalOptions& o) {
  std::string out;
  for (const std::string& s : sentences) out += "  " + wrap(spelled(s, o), o.width - 2, "    ") + "\n";
  return out;
}

std::string opening(const std::string& title, const Result& r, const TerminalOptions& o) {
  std::string out = bold(title, o.colour) + "\n\n";
  if (const std::string verdict = verdict_words(r).text; !verdict.empty())
    out += bold(wrap(spelled(verdict, o), o.width, "  "), o.colour) + "\n\n";
  return out;
}

std::string next_lines(const Result& r, const TerminalOptions& o) {
  const NextStep next = next_step(r);
  if (next.parts.empty()) return "";
  std::string out = "  " + wrap(spelled(next.why, o), o.width - 2, "    ") + "\n", line = "    ";
  for (std::size_t i = 0; i < next.parts.size(); ++i) {
    const std::string part = printable(next.parts[i]);
    if (i > 0 && std::ssize(line) + std::ssize(part) + 3 > o.width) {  // room for the backslash
      out += line + " \\\n";
      line = "      ";
    } else if (i > 0) {
      line += " ";
    }
    line += part;
  }
  return out + line + "\n";
}

std::string undefined_keys(const MetricResults& metrics, const TerminalOptions& o) {
  std::vector<std::pair<std::string, std::string>> keys_by_reason;
  for (const auto& [key, m] : metrics) {
    if (m.value) continue;
    const auto at = std::find_if(keys_by_reason.begin(), keys_by_reason.end(),
                                 [&why = m.why](const auto& x) { return x.first == why; });
    if (at == keys_by_reason.end()) {
      keys_by_reason.emplace_back(m.why, key);
    } else {
      at->second += ", " + key;
    }
  }
  std::string out;
  for (const auto& [why, keys] : keys_by_reason)
    out += "  " + wrap(keys + ": " + spelled(why, o), o.width - 2, "    ") + "\n";
  return out;
}

}  // namespace plumb::detail
