#include "fail_if.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"

namespace plumb::cli {
namespace {

std::string trimmed(const std::string& s) {
  const auto begin = s.find_first_not_of(" \t"), end = s.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

Gate parse_gate(const std::string& text) {
  const InputError no_gate(
      "--fail-if \"" + text +
      "\" is no comparison; write a metric, one of > >= < <=, and a number, as in \"ece>0.05\"");
  const auto at = text.find_first_of("<>");
  if (at == std::string::npos) throw no_gate;
  const std::size_t length = text.compare(at + 1, 1, "=") == 0 ? 2 : 1;
  Gate gate{trimmed(text.substr(0, at)), text.substr(at, length), 0};
  const std::string number = trimmed(text.substr(at + length));
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), gate.bound);
  if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(gate.bound))
    throw no_gate;
  if (find_metric(gate.key) == nullptr && find_regression_metric(gate.key) == nullptr) {
    Args known;
    for (const MetricRow& row : metrics()) known.emplace_back(row.key);
    for (const MetricRow& row : regression_metrics()) known.emplace_back(row.key);
    throw InputError("--fail-if \"" + text + "\": there is no metric \"" + gate.key + "\"" +
                     did_you_mean(gate.key, known) + "; \"plumb list\" shows them all");
  }
  return gate;
}

bool holds(const Gate& g, double x) {
  if (g.op == ">") return x > g.bound;
  if (g.op == ">=") return x >= g.bound;
  if (g.op == "<") return x < g.bound;
  return x <= g.bound;
}

}  // namespace

std::vector<Gate> parse_gates(const Args& texts) {
  std::vector<Gate> out;
  for (const std::string& text : texts) out.push_back(parse_gate(text));
  return out;
}

std::vector<std::string> gates_that_hold(const std::vector<Gate>& gates, const Result& result) {
  std::vector<std::string> out;
  for (const Gate& g : gates) {
    const std::string text = g.key + g.op + show(g.bound);
    const auto at = std::find_if(result.metrics.begin(), result.metrics.end(),
                                 [&](const auto& m) { return m.first == g.key; });
    if (at == result.metrics.end()) {
      throw InputError("--fail-if \"" + text + "\": " + g.key +
                       " was not computed; it is left out by --metrics, or does not apply to these inputs");
    }
    if (!at->second.value) {
      throw InputError("--fail-if \"" + text + "\" cannot be decided: " + g.key + " is undefined (" +
                       at->second.why + ")");
    }
    if (holds(g, *at->second.value))
      out.push_back("--fail-if \"" + text + "\" holds: " + g.key + " is " + show(*at->second.value));
  }
  return out;
}

}  // namespace plumb::cli
