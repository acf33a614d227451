#include "plumb/report/ordered.hpp"

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "report/bounded.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

using detail::TextTable;

Tree metric_tree(const MetricResult& m) {
  Tree::Members out;
  out.emplace_back("value", m.value ? Value(*m.value) : Value{});
  if (!m.value) out.emplace_back("why", Value(m.why));
  if (m.low) out.emplace_back("low", *m.low);
  if (m.high) out.emplace_back("high", *m.high);
  if (!m.interval.empty()) out.emplace_back("interval", Value(m.interval));
  return out;
}

Value or_none(const std::optional<double>& x) { return x ? Value(*x) : Value{}; }

std::string with_interval(const std::optional<double>& x, const std::optional<double>& low,
                          const std::optional<double>& high) {
  if (!x) return "-";
  return low && high ? fmt::format("{:.4f} [{:.4f}, {:.4f}]", *x, *low, *high) : fmt::format("{:.4f}", *x);
}
std::string with_interval(const MetricResult& m) { return with_interval(m.value, m.low, m.high); }
std::string with_interval(const Bounded& b) { return with_interval(b.value, b.low, b.high); }

/// Merged states have none.
std::string slope_text(const MetricResults& metrics) {
  for (const auto& [key, m] : metrics)
    if (key == "calibration_slope") return with_interval(m);
  return "";
}

std::string class_text(const std::vector<std::string>& classes, int k) {
  return classes.empty() ? "class " + std::to_string(k) : classes[k];
}

struct UncertaintyPart {
  const char* key;
  const char* words;
  Bounded Decomposition::*number;
};
constexpr UncertaintyPart kUncertaintyParts[] = {
    {"total", "uncertainty of the forecast", &Decomposition::total},
    {"aleatoric", "  from the raters' disagreement, as forecast", &Decomposition::aleatoric},
    {"aleatoric_observed", "  from the raters' disagreement, observed", &Decomposition::aleatoric_observed},
    {"epistemic", "  from what the model does not know, as forecast", &Decomposition::epistemic},
    {"epistemic_observed", "  from what the model does not know, observed",
     &Decomposition::epistemic_observed},
    {"aleatoric_gap", "gap of the first part", &Decomposition::aleatoric_gap},
    {"epistemic_gap", "gap of the second part", &Decomposition::epistemic_gap}};

}  // namespace

void add_ordered(const OrderedResult& r, Result& result) {
  Tree::Members section{{"items", Value(r.items)}, {"votes", Value(r.votes)}};
  for (const auto& [key, m] : r.metrics) section.emplace_back(key, metric_tree(m));
  result.sections.emplace_back("ordered", std::move(section));
  Table t;
  t.columns = {"above", "forecast", "observed"};
  for (const auto& [key, m] : r.thresholds.front().metrics)
    for (const char* part : {"", "_low", "_high", "_p_value"}) t.columns.push_back(key + part);
  for (const OrderedThreshold& at : r.thresholds) {
    std::vector<Value> row{class_text(result.class_names, at.cls), at.forecast, at.observed};
    for (const auto& [key, m] : at.metrics)
      for (const auto& x : {m.value, m.low, m.high, m.p_value}) row.push_back(or_none(x));
    t.rows.push_back(std::move(row));
  }
  result.tables.emplace_back("ordered_thresholds", std::move(t));
  for (const OrderedThreshold& at : r.thresholds)
    result.tables.emplace_back("reliability_above_" + std::to_string(at.cls), at.reliability);
}

std::string render_ordered(const OrderedResult& r, const std::vector<std::string>& classes,
                           const TerminalOptions& options) {
  TextTable scores({"ordered classes", "value"});
  for (const auto& [key, m] : r.metrics) scores.add({key, with_interval(m)});
  TextTable table({"the class is above", "forecast", "observed", "ece", "slope"});
  for (const std::size_t c : {1, 2}) table.right(c);
  for (const OrderedThreshold& at : r.thresholds)
    table.add({detail::printable(class_text(classes, at.cls), 30), fmt::format("{:.4f}", at.forecast),
               fmt::format("{:.4f}", at.observed), with_interval(find_result(at.metrics, "ece")),
               slope_text(at.metrics)});
  return "\n" + scores.render(options.colour, options.width) + "\n" +
         table.render(options.colour, options.width);
}

void add_leave_one_out(const LeaveOneOut& r, Result& result) {
  Tree::Members section;
  for (const WithoutRater& w : r.raters) {
    Tree::Members metrics{{"votes", Value(w.votes)}};
    for (const auto& [key, x] : w.metrics) metrics.emplace_back(key, or_none(x));
    section.emplace_back(w.rater, std::move(metrics));
  }
  result.sections.emplace_back("leave_one_rater_out", std::move(section));
  Table t;
  t.columns = {"metric", "value", "lowest", "highest", "rater", "change"};
  for (const RaterInfluence& i : r.influence)
    t.rows.push_back({i.key, i.value, i.lowest, i.highest, i.rater, i.change});
  result.tables.emplace_back("rater_influence", std::move(t));
}

std::string render_leave_one_out(const LeaveOneOut& r, const TerminalOptions& options) {
  TextTable table({"without one rater", "all raters", "lowest", "highest", "largest change", "without"});
  for (const std::size_t c : {1, 2, 3, 4}) table.right(c);
  for (const RaterInfluence& i : r.influence)
    table.add({i.key, fmt::format("{:.4f}", i.value), fmt::format("{:.4f}", i.lowest),
               fmt::format("{:.4f}", i.highest), fmt::format("{:+.4f}", i.change),
               detail::printable(i.rater, 30)});
  return "\n" + table.render(options.colour, options.width);
}

void add_decomposition(const Decomposition& d, Result& result) {
  Tree::Members section{{"items", Value(d.items)}};
  for (const UncertaintyPart& p : kUncertaintyParts)
    section.emplace_back(p.key, detail::bounded_tree(d.*p.number));
  result.sections.emplace_back("decomposition", std::move(section));
}

std::string render_decomposition(const Decomposition& d, const TerminalOptions& options) {
  if (d.items == 0) return "";
  TextTable table({"uncertainty", "mean"});
  for (const UncertaintyPart& p : kUncertaintyParts) table.add({p.words, with_interval(d.*p.number)});
  return "\n" + table.render(options.colour, options.width);
}

}  // namespace plumb
