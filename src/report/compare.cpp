// GCC 12 takes the moved-from alternatives of a variant for uninitialised (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "plumb/report/compare.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/paragraphs.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

const char* better_name(Better b) {
  switch (b) {
    case Better::lower:
      return "lower";
    case Better::higher:
      return "higher";
    case Better::zero:
      return "nearer 0";
    case Better::one:
      return "nearer 1";
    case Better::neither:
      return "neither";
  }
  return "";
}

void add_known(Tree::Members& to, const char* name, const std::optional<double>& x) {
  if (x) to.emplace_back(name, *x);
}

Tree value_of(const MetricResult& m) {
  Tree::Members out;
  if (m.value) {
    out.emplace_back("value", *m.value);
  } else {
    out.emplace_back("value", Value{});
    out.emplace_back("why", Value(m.why));
  }
  add_known(out, "low", m.low);
  add_known(out, "high", m.high);
  if (!m.interval.empty()) out.emplace_back("interval", Value(m.interval));
  return out;
}

Tree difference(const Difference& d, const Comparison& c) {
  Tree::Members out;
  out.emplace_back("from", Value(c.models[d.from]));
  out.emplace_back("to", Value(c.models[d.to]));
  if (d.value) {
    out.emplace_back("difference", *d.value);
  } else {
    out.emplace_back("difference", Value{});
  }
  add_known(out, "low", d.low);
  add_known(out, "high", d.high);
  add_known(out, "p_value", d.p_value);
  return out;
}

std::string compared_text(double x) {
  const double size = std::abs(x);
  return size != 0 && (size < 1e-4 || size >= 1e5) ? fmt::format("{:.2e}", x) : fmt::format("{:.4f}", x);
}

bool is_shown(const ComparedMetric& m, bool all) {
  return all || find_metric(m.key)->headline.has(Place::comparison);
}

std::string metric_table(const Comparison& c, const TerminalOptions& o) {
  const bool two = c.models.size() == 2;
  std::vector<std::string> header{"metric", "better"};
  for (const std::string& name : c.models) header.push_back(detail::printable(name, 16));
  const std::size_t after = header.size();
  if (two) {
    header.insert(header.end(), {"difference", "interval", "p-value"});
  } else {
    header.insert(header.end(), {"best", "clearly"});
  }
  detail::TextTable table(header);
  for (std::size_t i = 2; i < (two ? header.size() : after); ++i) table.right(i);
  for (const ComparedMetric& m : c.metrics) {
    if (!is_shown(m, o.all)) continue;
    std::vector<std::string> row{m.key, better_name(m.better)};
    for (std::size_t i = 0; i < m.values.size(); ++i)
      row.push_back((m.values[i].value ? compared_text(*m.values[i].value) : "-") +
                    (m.best == i ? (m.clear ? "**" : "* ") : "  "));
    if (two) {
      const Difference& d = m.differences.front();
      row.push_back(d.value ? compared_text(*d.value) : "-");
      row.push_back(d.low ? "[" + compared_text(*d.low) + ", " + compared_text(*d.high) + "]" : "");
      row.push_back(d.p_value ? fmt::format("{:.3f}", *d.p_value) : "");
    } else {
      row.push_back(m.best ? detail::printable(c.models[*m.best], 16) : "");
      row.emplace_back(m.best && m.differences.front().p_value ? (m.clear ? "yes" : "no") : "");
    }
    table.add(std::move(row));
  }
  return table.render(o.colour, o.width);
}

}  // namespace

Tree compare_section(const Comparison& c) {
  Tree::Members metrics;
  for (const ComparedMetric& m : c.metrics) {
    Tree::Members one;
    one.emplace_back("better", Value(std::string(better_name(m.better))));
    if (m.best) {
      one.emplace_back("best", Value(c.models[*m.best]));
    } else {
      one.emplace_back("best", Value{});
    }
    one.emplace_back("clear", Value(m.clear));
    Tree::Members values;
    for (std::size_t i = 0; i < c.models.size(); ++i) values.emplace_back(c.models[i], value_of(m.values[i]));
    one.emplace_back("values", std::move(values));
    Tree::List differences;
    for (const Difference& d : m.differences) differences.push_back(difference(d, c));
    one.emplace_back("interval", Value(m.interval));
    one.emplace_back("differences", std::move(differences));
    metrics.emplace_back(m.key, std::move(one));
  }
  Tree::Members wins;
  for (std::size_t i = 0; i < c.models.size(); ++i) {
    Tree::Members one;
    one.emplace_back("best", Value(c.wins[i].best));
    one.emplace_back("clear", Value(c.wins[i].clear));
    wins.emplace_back(c.models[i], std::move(one));
  }
  Tree::Members out;
  out.emplace_back("models", Value(c.models));
  out.emplace_back("metrics", std::move(metrics));
  out.emplace_back("wins", std::move(wins));
  return out;
}

std::string render_compare(const Comparison& c, double level, const TerminalOptions& o) {
  std::string out = detail::bold(fmt::format("{} models on {} items, {} classes, {} votes", c.models.size(),
                                             c.items, c.classes, c.votes),
                                 o.colour) +
                    "\n\n" + metric_table(c, o);
  std::size_t hidden = 0;
  std::int64_t decided = 0;
  for (const ComparedMetric& m : c.metrics) {
    hidden += !is_shown(m, o.all);
    decided += m.best.has_value();
  }
  out += detail::dim("  * best; ** best, and clear of every other at the level of the intervals", o.colour) +
         "\n";
  if (hidden > 0)
    out += detail::dim(spell(fmt::format("  and {} more: ⟦metrics⟧ all shows them, ⟦json⟧ has them", hidden),
                             o.spelling),
                       o.colour) +
           "\n";
  if (c.models.size() == 2)
    out +=
        detail::dim(fmt::format("  difference: {} less {}; {:g}% intervals, the same units drawn for both",
                                detail::printable(c.models[1]), detail::printable(c.models[0]), 100 * level),
                    o.colour) +
        "\n";
  out += "\n" + detail::bold("In words", o.colour) + "\n";
  for (std::size_t i = 0; i < c.models.size(); ++i)
    out += fmt::format("  {} is best on {} of {} metrics, clearly on {}.\n", detail::printable(c.models[i]),
                       c.wins[i].best, decided, c.wins[i].clear);
  if (!c.notes.empty()) out += "\n" + detail::bold("Notes", o.colour) + "\n" + detail::paragraphs(c.notes, o);
  return out;
}

}  // namespace plumb
