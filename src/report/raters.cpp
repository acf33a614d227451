#include "plumb/report/raters.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "report/bounded.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

using detail::TextTable;
using Cells = std::vector<Value>;

Value null_or(const std::optional<double>& x) { return x ? Value(*x) : Value{}; }

Value class_value(const ItemNames& names, int k) {
  return names.classes.empty() ? Value(std::int64_t{k}) : Value(names.classes[k]);
}
std::string class_label(const ItemNames& names, int k) {
  return names.classes.empty() ? std::to_string(k) : detail::printable(names.classes[k], 20);
}

void add_cells(Cells& row, const Bounded& b) {
  for (const auto& x : {b.value, b.low, b.high}) row.push_back(null_or(x));
}

Table prevalence_table(const RatersResult& r, const ItemNames& names) {
  Table t;
  t.columns = {"class", "share", "low", "high"};
  for (int k = 0; k < r.fit.classes; ++k) {
    Cells row{class_value(names, k)};
    add_cells(row, r.prevalence[k]);
    t.rows.push_back(std::move(row));
  }
  return t;
}

Table profile_table(const RatersResult& r, const Votes& votes) {
  Table t;
  t.columns = {"rater", "votes", "accuracy", "low", "high"};
  for (int a = 0; a < r.fit.raters; ++a) {
    Cells row{votes.rater_name(a), r.raters[a].votes};
    add_cells(row, r.raters[a].accuracy);
    t.rows.push_back(std::move(row));
  }
  return t;
}

Table rater_confusion_table(const RatersResult& r, const Votes& votes, const ItemNames& names) {
  Table t;
  t.columns = {"rater", "truth", "vote", "seen", "share", "low", "high"};
  for (int a = 0; a < r.fit.raters; ++a)
    for (int cell = 0; cell < static_cast<int>(r.raters[a].confusion.size()); ++cell) {
      const int truth = cell / r.fit.classes;
      Cells row{votes.rater_name(a), class_value(names, truth), class_value(names, cell % r.fit.classes),
                r.raters[a].seen[truth]};
      add_cells(row, r.raters[a].confusion[cell]);
      t.rows.push_back(std::move(row));
    }
  return t;
}

Table bias_table(const RatersResult& r, const Votes& votes, const ItemNames& names) {
  Table t;
  t.columns = {"rater", "class", "bias", "low", "high"};
  for (int a = 0; a < r.fit.raters; ++a)
    for (int k = 0; k < static_cast<int>(r.raters[a].bias.size()); ++k) {
      Cells row{votes.rater_name(a), class_value(names, k)};
      add_cells(row, r.raters[a].bias[k]);
      t.rows.push_back(std::move(row));
    }
  return t;
}

Table kappa_table(const RatersResult& r, const Votes& votes) {
  Table t;
  t.columns = {"rater",          "other", "items",     "agreement", "agreement_low",
               "agreement_high", "kappa", "kappa_low", "kappa_high"};
  for (const PairProfile& p : r.pairs) {
    Cells row{votes.rater_name(p.rater), votes.rater_name(p.other), p.items};
    add_cells(row, p.agreement);
    add_cells(row, p.kappa);
    t.rows.push_back(std::move(row));
  }
  return t;
}

Value item_name(const ItemNames& names, std::int64_t row) {
  return names.ids.empty() ? Value(row) : Value(std::string(names.ids.name(row)));
}

Table ask_table(const RatersResult& r, const ItemNames& names) {
  Table t;
  t.columns = {"id", "row", "votes", "class", "probability", "gain"};
  for (const AskRow& a : r.ask)
    t.rows.push_back(
        {item_name(names, a.row), a.row, a.votes, class_value(names, a.cls), a.probability, a.gain});
  return t;
}

std::string two_digits(const Bounded& b) {
  if (!b.value) return "-";
  return b.low ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", *b.value, *b.low, *b.high)
               : fmt::format("{:.2f}", *b.value);
}

/// The class that the rater names more often than the consensus does.
std::string bias_text(const RaterProfile& p, const ItemNames& names) {
  if (!p.too_often) return "";
  return fmt::format("{} {:+.1f} points", class_label(names, *p.too_often),
                     100 * *p.bias[*p.too_often].value);
}

constexpr std::size_t kMostLines = 20;

std::string rater_lines(const RatersResult& r, const Votes& votes, const ItemNames& names,
                        const TerminalOptions& options) {
  std::vector<int> order(r.fit.raters);
  for (int a = 0; a < r.fit.raters; ++a) order[a] = a;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return r.raters[a].accuracy.value.value_or(-1) > r.raters[b].accuracy.value.value_or(-1);
  });
  const std::size_t cut = order.size() > kMostLines ? order.size() - kMostLines : 0;
  if (cut > 0) order.erase(order.begin() + kMostLines / 2, order.end() - kMostLines / 2);
  TextTable table({"rater", "votes", "accuracy", "too often"});
  table.right(1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (cut > 0 && i == kMostLines / 2) table.add({fmt::format("({} more)", cut), "", "", ""});
    const RaterProfile& p = r.raters[order[i]];
    table.add({detail::printable(votes.rater_name(order[i]), 30), std::to_string(p.votes),
               two_digits(p.accuracy), bias_text(p, names)});
  }
  return table.render(options.colour, options.width);
}

}  // namespace

void add_raters(const RatersResult& r, const RatersOptions& o, const Votes& votes, const ItemNames& names,
                Result& result) {
  result.items = r.items;
  result.classes = r.fit.classes;
  result.votes = r.votes;
  result.task = r.fit.classes == 2 ? "binary" : "multiclass";
  result.class_names = names.classes;
  const std::vector<std::pair<std::string, Value>> settings{
      {"rater_model", std::string(o.one_coin ? "one coin" : "confusion matrices")},
      {"prior", o.prior},
      {"converged_at", o.converged_at},
      {"most_iterations", std::int64_t{o.iterations}},
      {"ordered", o.ordered},
      {"target_se", o.target_se},
      {"rater_bootstrap", std::int64_t{o.bootstrap}},
      {"rater_level", o.level},
      {"rater_seed", o.seed}};
  result.settings.insert(result.settings.end(), settings.begin(), settings.end());
  Tree::Members fit{{"iterations", Value(std::int64_t{r.fit.iterations})},
                    {"converged", Value(r.fit.converged)},
                    {"change", r.fit.change},
                    {"log_likelihood", r.fit.log_likelihood},
                    {"raters", Value(std::int64_t{r.fit.raters})},
                    {"items_with_votes", Value(r.judged)}};
  result.sections.emplace_back("dawid_skene", std::move(fit));
  Tree::Members agreement;
  for (const auto& [key, b] : r.agreement) agreement.emplace_back(key, detail::bounded_tree(b));
  result.sections.emplace_back("agreement", std::move(agreement));
  Tree::Members needed{{"target_se", o.target_se},
                       {"votes", r.needed ? Value(*r.needed) : Value{}},
                       {"variance", null_or(r.within)},
                       {"class", class_value(names, r.within_class)}};
  result.sections.emplace_back("votes_needed", std::move(needed));
  result.tables.emplace_back("prevalence", prevalence_table(r, names));
  result.tables.emplace_back("rater_profiles", profile_table(r, votes));
  result.tables.emplace_back("rater_confusion", rater_confusion_table(r, votes, names));
  result.tables.emplace_back("rater_bias", bias_table(r, votes, names));
  if (!r.pairs.empty()) result.tables.emplace_back("rater_kappas", kappa_table(r, votes));
  result.tables.emplace_back("ask", ask_table(r, names));
  if (!r.fit.converged)
    result.notes.push_back(fmt::format(
        "the model of the raters has not converged after {} iterations: probabilities still change by {:.1e}; allow more with {}",
        r.fit.iterations, r.fit.change, opt("iterations")));
  if (!r.few_units.empty()) result.notes.push_back(r.few_units);
}

std::string render_raters(const RatersResult& r, const RatersOptions& o, const Votes& votes,
                          const ItemNames& names, const TerminalOptions& options) {
  std::string out = fmt::format("{}, {}, {}, {}\n\n", counted(r.items, "item"), counted(r.votes, "vote"),
                                counted(r.fit.raters, "rater"), counted(r.fit.classes, "class"));
  out += rater_lines(r, votes, names, options) + "\n";
  TextTable agreement({"agreement", "value"});
  for (const auto& [key, b] : r.agreement) agreement.add({key, b.value ? two_digits(b) : b.why});
  out += agreement.render(options.colour, options.width) + "\n";
  if (r.needed) {
    const std::string words = fmt::format(
        "{} per item give a standard error of {} or less for an item's share of votes (root mean square over items; {} varies most).",
        counted(*r.needed, "vote"), show(o.target_se), class_label(names, r.within_class));
    out += detail::wrap(words, options.width, "") + "\n";
  }
  if (!r.ask.empty()) {
    out += "\nOne more vote would tell most about these items:\n";
    TextTable ask({"item", "votes", "now", "probability", "bits"});
    for (const std::size_t c : {1, 3, 4}) ask.right(c);
    for (std::size_t i = 0; i < std::min<std::size_t>(5, r.ask.size()); ++i) {
      const AskRow& a = r.ask[i];
      ask.add({names.ids.empty() ? std::to_string(a.row) : detail::printable(names.ids.name(a.row), 30),
               std::to_string(a.votes), class_label(names, a.cls), fmt::format("{:.2f}", a.probability),
               fmt::format("{:.3f}", a.gain)});
    }
    out += ask.render(options.colour, options.width);
  }
  return out;
}

void add_calibrated_consensus(const std::string& method, int folds, const std::vector<BeforeAfter>& scores,
                              Result& result) {
  Tree::Members members;
  for (const BeforeAfter& s : scores)
    members.emplace_back(s.key, Tree::Members{{"before", null_or(s.before)}, {"after", null_or(s.after)}});
  result.sections.emplace_back("calibrated_consensus", Tree::Members{{"method", Value(method)},
                                                                     {"folds", Value(std::int64_t{folds})},
                                                                     {"scores", std::move(members)}});
}

std::string render_calibrated_consensus(const std::string& method, int folds,
                                        const std::vector<BeforeAfter>& scores) {
  std::string out =
      fmt::format("\nThe consensus calibrated by {} ({} folds, each item out of fold):\n", method, folds);
  for (const BeforeAfter& s : scores)
    if (s.before && s.after)
      out += fmt::format("  {:<14} {:.4f} before, {:.4f} after\n", s.key, *s.before, *s.after);
  return out;
}

}  // namespace plumb
