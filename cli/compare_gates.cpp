#include "compare_gates.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"

namespace plumb::cli {

NamedFile named_file(const std::string& flag, const std::string& text) {
  const auto cut = text.find('=');
  if (cut == std::string::npos || cut == 0 || cut + 1 == text.size())
    throw InputError(flag + " takes NAME=FILE, as in new=" +
                     (flag == "--manifest" ? "cases.csv" : "probs.npy") + ", not \"" + text + "\"");
  return {text.substr(0, cut), text.substr(cut + 1), flag};
}

Args names_of(const std::vector<NamedFile>& models) {
  Args out;
  for (const NamedFile& m : models) out.push_back(m.name);
  return out;
}

MetricResults gated_differences(const Comparison& c) {
  MetricResults out;
  for (const ComparedMetric& m : c.metrics) {
    for (const Difference& d : m.differences) {
      if (d.from != c.reference.value_or(0)) continue;
      MetricResult difference;
      difference.value = d.value;
      difference.low = d.low;
      difference.high = d.high;
      difference.p_value = d.p_value;
      difference.why = "it is undefined for one of the models";
      out.emplace_back(c.models[d.to] + "." + m.key, difference);
      if (const auto alias = alias_of(m.key); !alias.empty())
        out.emplace_back(c.models[d.to] + "." + std::string(alias), difference);
      if (c.models.size() == 2) out.emplace_back(m.key, difference);
    }
  }
  return out;
}

void check_compare_gates(std::vector<Gate> gates, Args models, const std::string& reference, int replicates) {
  const auto at = std::find(models.begin(), models.end(), reference);
  if (!reference.empty() && at == models.end()) {
    std::string known;
    for (const std::string& name : models) known += (known.empty() ? "" : ", ") + name;
    throw InputError("--reference " + reference + ": no model has this name" +
                     did_you_mean(reference, models) + "; the models are " + known);
  }
  if (at != models.end()) std::rotate(models.begin(), at, at + 1);
  for (Gate& g : gates) {
    const auto dot = g.key.rfind('.');
    if (g.on_verdict()) {
      const std::string model = dot == std::string::npos ? "" : g.key.substr(0, dot);
      if (std::find(models.begin(), models.end(), model) == models.end())
        throw InputError("--fail-if \"" + g.key + g.op + g.verdict + "\": name the model, as in \"" +
                         models[1] + ".verdict" + g.op + g.verdict + "\"" + did_you_mean(model, models));
      g.key = "verdict";
      continue;
    }
    if (models.size() > 2 && dot == std::string::npos)
      throw InputError("--fail-if \"" + g.key + g.op +
                       "...\": with more than two models, name the one to compare with " + models.front() +
                       ", as in \"" + models[1] + "." + g.key + g.op + "...\"");
    const bool named = dot != std::string::npos &&
                       std::find(models.begin() + 1, models.end(), g.key.substr(0, dot)) != models.end();
    if (named || models.size() > 2) g.key = g.key.substr(dot + 1);
  }
  check_metrics_of(gates);
  // The p-value of a normal interval is computed; the others are counted, on both sides.
  std::erase_if(gates, [](const Gate& g) {
    const MetricRow* row = g.on_verdict() ? nullptr : find_metric(canonical_key(g.key));
    return row == nullptr || row->interval == Interval::normal;
  });
  check_reach(gates, replicates, 2);
}

}  // namespace plumb::cli
