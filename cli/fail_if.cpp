#include "fail_if.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"

namespace plumb::cli {
namespace {

constexpr std::array kVerdicts{"trustworthy", "off", "cannot tell"};
constexpr std::array kFields{"low", "high", "p_value"};

std::string trimmed(const std::string& s) {
  const auto begin = s.find_first_not_of(" \t"), end = s.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

std::string quoted_gate(const std::string& text) { return "--fail-if \"" + text + "\""; }

std::string text_of(const Gate& g) {
  if (g.on_verdict()) return quoted_gate(g.key + g.op + g.verdict);
  return quoted_gate(g.key + (g.field.empty() ? "" : "." + g.field) + g.op + show(g.bound));
}

Gate parse_verdict(const std::string& text, const std::string& name, const std::string& op,
                   const std::string& word) {
  if (std::find(kVerdicts.begin(), kVerdicts.end(), word) == kVerdicts.end() || (op != "==" && op != "!="))
    throw InputError(
        quoted_gate(text) +
        ": compare the verdict by == or != with trustworthy, off or \"cannot tell\", as in \"verdict!=trustworthy\"");
  return {.key = name, .op = op, .verdict = word};
}

Gate parse_gate(const std::string& text) {
  const InputError no_gate(
      quoted_gate(text) +
      " is not a comparison; write a metric, one of > >= < <=, and a number, as in \"ece>0.05\" or \"ece.high>0.05\", or \"verdict!=trustworthy\"");
  const auto at = text.find_first_of("<>=!");
  if (at == std::string::npos) throw no_gate;
  const std::size_t length = text.compare(at + 1, 1, "=") == 0 ? 2 : 1;
  const std::string name = trimmed(text.substr(0, at)), op = text.substr(at, length),
                    right = trimmed(text.substr(at + length));
  if (name == "verdict" || name.ends_with(".verdict")) return parse_verdict(text, name, op, right);
  if (op[0] != '<' && op[0] != '>') throw no_gate;
  Gate gate{.key = name, .op = op};
  for (const std::string field : kFields)
    if (name.ends_with("." + field) && name.size() > field.size() + 1) {
      gate.key = name.substr(0, name.size() - field.size() - 1);
      gate.field = field;
    }
  const auto [end, error] = std::from_chars(right.data(), right.data() + right.size(), gate.bound);
  if (error != std::errc{} || end != right.data() + right.size() || !std::isfinite(gate.bound)) throw no_gate;
  return gate;
}

bool holds(const Gate& g, double x) {
  if (g.op == ">") return x > g.bound;
  if (g.op == ">=") return x >= g.bound;
  if (g.op == "<") return x < g.bound;
  return x <= g.bound;
}

constexpr const char* kNothingToDraw =
    "merged states hold no items to resample; gate on a value, or evaluate all the data at once with --bootstrap 200";

const Verdict& gated_verdict(const Gate& g, const GateSource& source) {
  const std::string model = g.key.substr(0, g.key.rfind('.'));  // all of it where no model is named
  const Verdict* v = model == g.key        ? source.judged
                     : source.judged_model ? source.judged_model(model)
                                           : nullptr;
  if (v == nullptr)
    throw InputError(text_of(g) + ": this command reaches no such verdict; gate on a metric instead");
  return *v;
}

bool verdict_fails(const Gate& g, const Verdict& v, const GateSource& source) {
  if (v.verdict.empty() && source.merged)
    throw InputError(text_of(g) + " cannot be decided: " + kNothingToDraw);
  if (v.verdict.empty())
    throw InputError(text_of(g) + " cannot be decided: there is no verdict" +
                     (v.why.empty() ? std::string("; add --bootstrap 200") : " (" + v.why + ")"));
  return (v.verdict == g.verdict) == (g.op == "==");
}

double gated_value(const Gate& g, const MetricResult& m, const GateSource& source) {
  if (!m.value)
    throw InputError(text_of(g) + " cannot be decided: " + g.key + " is undefined (" + m.why + ")");
  if (g.field.empty()) return *m.value;
  const std::optional<double>& x = g.field == "low" ? m.low : g.field == "high" ? m.high : m.p_value;
  if (x) return *x;
  if (source.merged) throw InputError(text_of(g) + " cannot be decided: " + kNothingToDraw);
  const std::string lacks = text_of(g) + " cannot be decided: " + g.key + " has no " +
                            (g.field == "p_value" ? "p-value" : "interval");
  if (source.replicates == 0) throw InputError(lacks + "; give --bootstrap 200");
  if (g.field != "p_value" && m.p_value)
    throw InputError(lacks + "; gate on its p-value, " + g.key + ".p_value");
  if (g.field == "p_value" && m.high)
    throw InputError(lacks + "; gate on its interval, " + g.key + ".low or .high");
  throw InputError(lacks + " on these data; gate on its value");
}

}  // namespace

std::vector<Gate> parse_gates(const Args& texts) {
  std::vector<Gate> out;
  for (const std::string& text : texts) out.push_back(parse_gate(text));
  return out;
}

void check_metrics_of(const std::vector<Gate>& gates) {
  Args known{"verdict"};
  for (const MetricRow& row : metrics()) known.emplace_back(row.key);
  for (const MetricRow& row : regression_metrics()) known.emplace_back(row.key);
  for (const Gate& g : gates)
    if (std::find(known.begin(), known.end(), canonical_key(g.key)) == known.end())
      throw InputError(text_of(g) + ": there is no metric \"" + g.key + "\"" + did_you_mean(g.key, known) +
                       "; \"plumb list\" shows them all");
}

void check_reach(const std::vector<Gate>& gates, std::int64_t replicates, double least) {
  for (const Gate& g : gates) {
    if (g.field != "p_value" || replicates == 0 || g.op[0] != '<') continue;
    const double smallest = least / (1.0 + static_cast<double>(replicates));
    if (holds(g, smallest)) continue;
    if (!(g.bound > 0)) throw InputError(text_of(g) + " can never fail: no p-value is that small");
    // The fewest whose smallest p-value makes the gate fail.
    double enough = std::max(1.0, std::floor(least / g.bound) - 2);
    while (!holds(g, least / (1 + enough))) ++enough;
    throw InputError(text_of(g) + " can never fail: with " + std::to_string(replicates) +
                     " replicates the smallest p-value is " + show(std::round(smallest * 1e6) / 1e6) +
                     "; give --bootstrap " + std::to_string(static_cast<std::int64_t>(enough)) +
                     " or more, or a larger bound");
  }
}

std::vector<std::string> gates_that_hold(const std::vector<Gate>& gates, const MetricResults& values,
                                         const GateSource& source) {
  std::vector<std::string> out;
  Args known;
  for (const auto& [key, value] : values) known.push_back(key);
  for (const Gate& g : gates) {
    if (g.on_verdict()) {
      const Verdict& v = gated_verdict(g, source);
      const bool named = g.key != "verdict";
      if (verdict_fails(g, v, source))
        out.push_back("the gate failed: " + (named ? g.key : std::string("the verdict")) + " is \"" +
                      v.verdict + "\" (" + text_of(g) + ")");
      continue;
    }
    const auto at = std::find_if(values.begin(), values.end(),
                                 [&](const auto& m) { return m.first == canonical_key(g.key); });
    if (at == values.end())
      throw InputError(
          text_of(g) + ": " + g.key +
          " was not computed, because it was not selected (--metrics, --measures) or does not apply to these inputs" +
          did_you_mean(g.key, known));
    const double x = gated_value(g, at->second, source);
    if (holds(g, x))
      out.push_back("the gate failed: " + source.what + g.key + (g.field.empty() ? "" : "." + g.field) +
                    " is " + show(x) + " (" + text_of(g) + ")");
  }
  return out;
}

}  // namespace plumb::cli
