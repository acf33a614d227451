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
  return gate;
}

std::string text_of(const Gate& g) { return "--fail-if \"" + g.key + g.op + show(g.bound) + "\""; }

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

void check_metrics_of(const std::vector<Gate>& gates) {
  Args known;
  for (const MetricRow& row : metrics()) known.emplace_back(row.key);
  for (const MetricRow& row : regression_metrics()) known.emplace_back(row.key);
  for (const Gate& g : gates) {
    if (std::find(known.begin(), known.end(), canonical_key(g.key)) == known.end())
      throw InputError(text_of(g) + ": there is no metric \"" + g.key + "\"" + did_you_mean(g.key, known) +
                       "; \"plumb list\" shows them all");
  }
}

std::vector<std::string> gates_that_hold(const std::vector<Gate>& gates, const MetricResults& values,
                                         const std::string& what) {
  std::vector<std::string> out;
  Args known;
  for (const auto& [key, value] : values) known.push_back(key);
  for (const Gate& g : gates) {
    const auto at = std::find_if(values.begin(), values.end(),
                                 [&](const auto& m) { return m.first == canonical_key(g.key); });
    if (at == values.end()) {
      throw InputError(
          text_of(g) + ": " + g.key +
          " was not computed; it is left out (--metrics, --measures), or does not apply to these inputs" +
          did_you_mean(g.key, known));
    }
    if (!at->second.value) {
      throw InputError(text_of(g) + " cannot be decided: " + g.key + " is undefined (" + at->second.why +
                       ")");
    }
    if (holds(g, *at->second.value))
      out.push_back(text_of(g) + " holds: " + what + g.key + " is " + show(*at->second.value));
  }
  return out;
}

}  // namespace plumb::cli
