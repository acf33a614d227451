// GCC 12 takes the moved-from alternatives of a variant for uninitialised (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "plumb/report/compare.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/decisions.hpp"
#include "report/paragraphs.hpp"
#include "report/text_table.hpp"
#include "report/verdict_tree.hpp"
#include "report/verdict_words.hpp"

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
  add_known(out, "adjusted_p_value", d.adjusted);
  return out;
}

std::string compared_text(double x) {
  const double size = std::abs(x);
  return size != 0 && (size < 1e-4 || size >= 1e5) ? fmt::format("{:.2e}", x) : fmt::format("{:.4f}", x);
}

bool is_shown(const ComparedMetric& m, bool all) {
  return all || find_metric(m.key)->headline.has(Place::comparison);
}

std::string value_table(const Comparison& c, const TerminalOptions& o) {
  std::vector<std::string> header{"metric", "better"};
  for (const std::string& name : c.models) header.push_back(detail::printable(name, 16));
  detail::TextTable table(header);
  for (std::size_t i = 2; i < header.size(); ++i) table.right(i);
  for (const ComparedMetric& m : c.metrics) {
    if (!is_shown(m, o.all)) continue;
    std::vector<std::string> row{m.key, better_name(m.better)};
    for (std::size_t i = 0; i < m.values.size(); ++i)
      row.push_back((m.values[i].value ? compared_text(*m.values[i].value) : "-") +
                    (m.best == i ? (m.clear ? "**" : "* ") : "  "));
    table.add(std::move(row));
  }
  return table.render(o.colour, o.width);
}

/// Each model by itself; without replicates nothing.
std::string verdict_lines(const Comparison& c, const TerminalOptions& o) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < c.judged.size() && c.replicates > 0; ++i)
    lines.push_back(detail::printable(c.models[i]) + ": " + detail::verdict_words(c.judged[i]).text);
  return lines.empty() ? "" : detail::bold("Verdicts", o.colour) + "\n" + detail::paragraphs(lines, o) + "\n";
}

/// A difference as seen from the reference: with all pairs it may be stored the other way round.
struct Seen {
  std::optional<double> value, low, high, p_value, adjusted;
};
std::optional<double> minus(const std::optional<double>& x) { return x ? std::optional(-*x) : std::nullopt; }

std::optional<Seen> seen(const ComparedMetric& m, std::size_t reference, std::size_t model) {
  for (const Difference& d : m.differences) {
    if (d.from == reference && d.to == model) return Seen{d.value, d.low, d.high, d.p_value, d.adjusted};
    if (d.to == reference && d.from == model)
      return Seen{minus(d.value), minus(d.high), minus(d.low), d.p_value, d.adjusted};
  }
  return std::nullopt;
}

/// The smallest p-value that the replicates allow is marked as a bound: 2/(B + 1), adjusted 1/(B + 1). That
/// of a normal interval may be smaller still.
std::string p_text(const std::optional<double>& p, const Comparison& c) {
  if (!p) return "";
  if (*p < 0.0005) return "< 0.001";
  const double counts = *p * (1 + c.replicates);
  const bool floor = std::abs(counts - 1) < 1e-9 || std::abs(counts - 2) < 1e-9;
  return fmt::format("{}{:.3f}", floor ? "<= " : "", *p);
}

/// One model against the reference.
std::string difference_table(const Comparison& c, std::size_t reference, std::size_t model, double level,
                             const TerminalOptions& o) {
  detail::TextTable table(
      {"metric", "difference", detail::level_text(level) + " interval", "p-value", "adjusted p", "better"});
  for (const std::size_t i : {1, 3, 4}) table.right(i);
  for (const ComparedMetric& m : c.metrics) {
    const auto d = seen(m, reference, model);
    if (!d || !is_shown(m, o.all)) continue;
    const bool clear = d->adjusted && *d->adjusted <= 1 - level && *d->value != 0;
    const bool lost = (m.better == Better::higher) == (d->value.value_or(0) < 0);
    table.add({m.key, d->value ? compared_text(*d->value) : "-",
               d->low ? "[" + compared_text(*d->low) + ", " + compared_text(*d->high) + "]" : "",
               p_text(d->p_value, c), p_text(d->adjusted, c),
               clear ? detail::printable(c.models[lost ? reference : model], 16) : ""});
  }
  return table.render(o.colour, o.width);
}

/// Metrics on which a model is clearly better or worse than the reference.
std::string in_words(const Comparison& c, std::size_t reference, std::size_t model, double level) {
  std::vector<std::string> won, lost;
  std::size_t tested = 0;
  for (const ComparedMetric& m : c.metrics) {
    const auto d = seen(m, reference, model);
    if (!d || !d->adjusted) continue;
    ++tested;
    if (*d->adjusted > 1 - level || *d->value == 0) continue;
    ((m.better == Better::higher) == (*d->value > 0) ? won : lost).push_back(m.key);
  }
  const std::string name = detail::printable(c.models[model]), other = detail::printable(c.models[reference]);
  if (tested == 0 && c.replicates > 0)
    return fmt::format("{} against {}: no difference was tested.", name, other);
  if (tested == 0)
    return fmt::format("{} against {}: without replicates chance cannot be ruled out; add ⟦bootstrap⟧ {}.",
                       name, other, kCompareReplicates);
  if (won.empty() && lost.empty() && 2.0 / (c.replicates + 1) > 1 - level)
    return fmt::format("{} against {}: {} replicates are too few to rule out chance; use ⟦bootstrap⟧ {}.",
                       name, other, c.replicates, kCompareReplicates);
  if (won.empty() && lost.empty())
    return fmt::format("{} against {}: none of the differences on {} metrics is larger than chance allows.",
                       name, other, tested);
  const auto list = [](const std::vector<std::string>& keys) {
    constexpr std::size_t kNamed = 5;
    std::string out =
        fmt::format("{}", fmt::join(keys.begin(), keys.begin() + std::min(keys.size(), kNamed), ", "));
    return keys.size() > kNamed ? fmt::format("{} and {} more", out, keys.size() - kNamed) : out;
  };
  std::string text = fmt::format("{} against {}: ", name, other);
  if (!won.empty()) text += fmt::format("better on {} of {} metrics ({})", won.size(), tested, list(won));
  if (!lost.empty())
    text += fmt::format("{}worse on {} of {} metrics ({})", won.empty() ? "" : ", ", lost.size(), tested,
                        list(lost));
  return text + ", after adjusting for the number of comparisons.";
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
  out.emplace_back("reference", c.reference ? Value(c.models[*c.reference]) : Value{});
  if (!c.judged.empty()) {
    Tree::Members verdicts;
    for (std::size_t i = 0; i < c.models.size(); ++i)
      verdicts.emplace_back(c.models[i], detail::verdict_tree(c.judged[i].verdict));
    out.emplace_back("verdicts", std::move(verdicts));
  }
  out.emplace_back("metrics", std::move(metrics));
  out.emplace_back("wins", std::move(wins));
  return out;
}

std::string render_compare(const Comparison& c, double level, const TerminalOptions& o) {
  const std::size_t reference = c.reference.value_or(0);
  const std::string base = detail::printable(c.models[reference]);
  std::string out =
      detail::bold(fmt::format("{} models on {} items, {} classes, {} votes", c.models.size(),
                               detail::thousands(c.items), c.classes, detail::thousands(c.votes)),
                   o.colour) +
      "\n\n" + verdict_lines(c, o) + value_table(c, o);
  const auto hidden = std::count_if(c.metrics.begin(), c.metrics.end(),
                                    [&](const ComparedMetric& m) { return !is_shown(m, o.all); });
  const auto aside = [&](const std::string& text) { out += detail::dim("  " + text, o.colour) + "\n"; };
  const bool tested = std::any_of(c.metrics.begin(), c.metrics.end(), [](const ComparedMetric& m) {
    return std::any_of(m.differences.begin(), m.differences.end(),
                       [](const Difference& d) { return d.adjusted; });
  });
  aside(tested ? "* best; ** best, and every difference from it is larger than chance allows" : "* best");
  if (hidden > 0)
    aside(spell(fmt::format("and {} more: ⟦metrics⟧ all shows them, ⟦json⟧ has them", hidden), o.spelling));
  std::vector<std::string> words;
  for (std::size_t i = 0; i < c.models.size(); ++i) {
    if (i == reference) continue;
    out += "\n" + detail::bold(fmt::format("{} minus {}", detail::printable(c.models[i]), base), o.colour) +
           "\n" + difference_table(c, reference, i, level, o);
    words.push_back(spell(in_words(c, reference, i, level), o.spelling));
  }
  if (tested) {
    aside("The same " + c.unit + "s are drawn for all models. Adjusted p-values keep the chance of");
    aside("any false claim over all metrics and models below the level.");
  }
  if (const std::string benefit = detail::net_benefit_table(c.net_benefit, o); !benefit.empty())
    out += "\n" + detail::bold("Net benefit", o.colour) + "\n" + benefit;
  out += "\n" + detail::bold("In words", o.colour) + "\n" + detail::paragraphs(words, o);
  if (!c.notes.empty()) out += "\n" + detail::bold("Notes", o.colour) + "\n" + detail::paragraphs(c.notes, o);
  return out;
}

std::string render_case_means(const Comparison& c, double level, const TerminalOptions& o) {
  const std::size_t reference = c.reference.value_or(0);
  std::string out = detail::bold(fmt::format("Means over {} cases", detail::thousands(c.items)), o.colour) +
                    "\n\n" + value_table(c, o);
  for (std::size_t i = 0; i < c.models.size(); ++i)
    if (i != reference)
      out += "\n" +
             detail::bold(fmt::format("{} minus {}, mean over cases", detail::printable(c.models[i]),
                                      detail::printable(c.models[reference])),
                          o.colour) +
             "\n" + difference_table(c, reference, i, level, o);
  return out;
}

}  // namespace plumb
