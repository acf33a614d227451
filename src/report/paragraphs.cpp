#include "report/paragraphs.hpp"

#include <algorithm>

#include "report/text_table.hpp"

namespace plumb::detail {

std::string thousands(std::int64_t n) {
  std::string s = std::to_string(n);
  for (std::int64_t at = std::ssize(s) - 3; at > (n < 0 ? 1 : 0); at -= 3) s.insert(at, ",");
  return s;
}

std::string spelled(const std::string& sentence, const TerminalOptions& o) {
  return printable(spell(sentence, o.spelling));
}

std::string paragraphs(const std::vector<std::string>& sentences, const TerminalOptions& o) {
  std::string out;
  for (const std::string& s : sentences) out += "  " + wrap(spelled(s, o), o.width - 2, "    ") + "\n";
  return out;
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
