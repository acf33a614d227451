#include "plumb/report/terminal.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/report/cases.hpp"
#include "plumb/report/regression.hpp"
#include "report/audit.hpp"
#include "report/decisions.hpp"
#include "report/look_up.hpp"
#include "report/next_step.hpp"
#include "report/paragraphs.hpp"
#include "report/rounded.hpp"
#include "report/slice_table.hpp"
#include "report/text_table.hpp"
#include "report/verdict_words.hpp"

namespace plumb {
namespace {

using detail::find;
using detail::TextTable;
using detail::thousands;

constexpr double kNothing = 1e-12;  ///< what is left of 0 after rounding

std::string value_text(double x) {
  const double size = x < 0 ? -x : x;
  if (size < kNothing) return "0.0000";
  return (size < 1e-4 || size >= 1e5) ? fmt::format("{:.3e}", x) : fmt::format("{:.4f}", x);
}

std::string value_text(const std::optional<double>& x) { return x ? value_text(*x) : ""; }

/// Rounded away from the value, so that it still bounds.
std::string bound_text(double x, detail::Round round) {
  const std::string text = value_text(x);
  return text.find('e') != std::string::npos ? text : detail::decimals_text(x, 4, round, true);
}

bool is_headline(const Result& r, const std::string& key, Place place) {
  if (key == "agreement" && r.votes <= r.items) return false;  // the same number as accuracy
  const MetricRow* row = find_metric(key);
  return row != nullptr && row->headline.has(place);
}

std::string line_of(const std::string& key, const TerminalOptions& o) {
  const MetricRow* row = find_metric(key);
  return row != nullptr ? spell(row->line, o.spelling) : "";
}

std::string counted_text(std::int64_t n, const char* noun) {
  return thousands(n) + " " + noun + (n == 1 ? "" : "s");
}

/// 0 unless the items are voxels of cases.
std::int64_t number_of_cases(const Result& r) {
  for (const auto& [name, tree] : r.sections)
    if (name == "per_case") return std::ssize(std::get<Tree::List>(tree.node));
  return 0;
}

std::string title(const Result& r) {
  const std::int64_t cases = number_of_cases(r);
  std::string text = cases > 0 ? counted_text(r.items, "voxel") + " of " + counted_text(cases, "case")
                               : counted_text(r.items, "item");
  text += fmt::format(", {} {}", r.classes, r.classes == 1 ? "class" : "classes");
  if (r.votes != r.items) text += ", " + counted_text(r.votes, "vote");
  return text;
}

// One line per metric. Without intervals there is room to say what each metric is.
std::string metric_table(const Result& r, const TerminalOptions& o) {
  const bool resampled =
      std::any_of(r.metrics.begin(), r.metrics.end(), [](const auto& m) { return m.second.low; });
  const auto replicates = detail::setting<std::int64_t>(r, "bootstrap", 0);
  TextTable table({"metric", "value", detail::level_text(r) + " interval", "null mean", "p-value",
                   resampled ? "" : "what it is"});
  for (const std::size_t c : {1, 3, 4}) table.right(c);
  std::size_t more = 0;
  bool outside = false;  // some value lies outside its interval
  for (const auto& [key, m] : r.metrics) {
    if (!o.all && !is_headline(r, key, Place::table)) {
      ++more;
      continue;
    }
    outside = outside || (m.value && m.low && m.high && (*m.value < *m.low || *m.value > *m.high));
    table.add({key, m.value ? value_text(*m.value) : "-",
               m.low && m.high ? "[" + bound_text(*m.low, detail::Round::down) + ", " +
                                     bound_text(*m.high, detail::Round::up) + "]"
                               : "",
               value_text(m.null_mean), m.p_value ? detail::p_cell(*m.p_value, replicates) : "",
               resampled ? "" : line_of(key, o)});
  }
  std::string out = table.render(o.colour, o.width);
  if (outside)
    out +=
        detail::dim(
            "  " +
                detail::wrap(
                    "an interval can lie below its value: chance inflates the value, and the interval corrects for it",
                    o.width - 2, "  "),
            o.colour) +
        "\n";
  if (more > 0)
    out += detail::dim(spell(fmt::format("  and {} more: ⟦metrics⟧ all shows them, ⟦json⟧ has them", more),
                             o.spelling),
                       o.colour) +
           "\n";
  return out;
}

detail::SliceColumns slice_columns(const Result& r) {
  detail::SliceColumns out{{}, "", [](double x) { return value_text(x); }};
  for (const auto& [key, metric] : r.metrics)
    if (is_headline(r, key, Place::slices)) out.keys.push_back(key);
  const bool ece = std::find(out.keys.begin(), out.keys.end(), "ece") != out.keys.end();
  if (!out.keys.empty()) out.first = ece ? "ece" : out.keys.front();
  return out;
}

}  // namespace

std::string render_terminal(const Result& r, const TerminalOptions& o) {
  if (r.task == "regression") return render_regression(r, o);
  std::string out = detail::opening(title(r), r, o) + metric_table(r, o);
  const auto section = [&](const char* name, const std::string& body) {
    if (!body.empty()) out += "\n" + detail::bold(name, o.colour) + "\n" + body;
  };
  section("Decisions", detail::decision_table(r, o));
  section("In words", detail::paragraphs(plain_words(r, o.spelling), o));
  section("Not defined here", detail::undefined_keys(r.metrics, o));
  section("Slices, worst first", detail::audit_ranks(r, o));
  section("Differences from the rest", detail::audit_differences(r, o));
  if (r.command != "audit")
    for (const auto& [name, table] : detail::slice_tables(r, slice_columns(r), o))
      section(name.c_str(), table);
  out += render_cases(r);
  section("Notes", detail::paragraphs(r.notes, o));
  section("Next", detail::next_lines(r, o));
  return out;
}

}  // namespace plumb
