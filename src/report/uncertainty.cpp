#include "plumb/report/uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "report/look_up.hpp"
#include "report/paragraphs.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

using detail::TextTable;

std::string score_text(double x) {
  const double size = std::abs(x);
  return size != 0 && (size < 1e-3 || size >= 1e5) ? fmt::format("{:.2e}", x) : fmt::format("{:.4f}", x);
}
std::string score_text(const std::optional<double>& x) { return x ? score_text(*x) : "-"; }
std::string score_percent(double x) { return fmt::format("{:.1f}%", 100 * x); }
std::string ratio(double x) { return x < 100 ? fmt::format("{:.2f}", x) : fmt::format("{:.0f}", x); }

/// The smallest p-value that the permutations allow is marked as a bound.
std::string p_text(const std::optional<double>& p, int permutations) {
  if (!p) return "";
  return fmt::format("{}{:.3f}", *p * (1 + permutations) <= 1 + 1e-9 ? "<= " : "", *p);
}

bool is_ranked(const MeasureResult& m) { return m.why.empty(); }

const MetricResult& score(const MeasureResult& m, const char* key) { return *detail::find(m.scores, key); }

/// Columns after the first are numbers.
TextTable table_of_numbers(const std::vector<std::string>& header) {
  TextTable table(header);
  for (std::size_t c = 1; c < header.size(); ++c) table.right(c);
  return table;
}

bool fits(const std::string& table, const TerminalOptions& o) {
  return static_cast<int>(detail::text_width(table.substr(0, table.find('\n')))) <= o.width;
}

/// In two parts where one is wider than the terminal.
std::string measure_table(const UncertaintyResult& r, const TerminalOptions& o) {
  const std::vector<std::string> odds{"measure", "odds ratio", "interval", "by chance", "p-value", "bins"};
  const std::vector<std::string> ranks{"AUROC", "AURC", "AUGRC", "bin Brier", "bits"};
  std::vector<std::string> all = odds, apart = ranks;
  all.insert(all.end(), ranks.begin(), ranks.end());
  apart.insert(apart.begin(), odds[0]);
  TextTable one(all), first(odds), second(apart);
  for (std::size_t c = 1; c < all.size(); ++c) one.right(c);
  for (std::size_t c = 1; c < odds.size(); ++c) first.right(c), second.right(c);
  for (const MeasureResult& m : r.measures) {
    if (!is_ranked(m)) continue;
    const MetricResult& eor = score(m, "eor");
    std::vector<std::string> row{m.name + (m.name == "loss" ? " (uses the label)" : ""),
                                 eor.value ? ratio(*eor.value) : "-",
                                 eor.low ? "[" + ratio(*eor.low) + ", " + ratio(*eor.high) + "]" : "",
                                 eor.null_mean ? ratio(*eor.null_mean) : "",
                                 p_text(eor.p_value, r.permutations),
                                 std::to_string(m.eor_bins)};
    std::vector<std::string> rest{row[0]};
    for (const char* key : {"auroc", "aurc", "augrc", "binned_brier", "conditional_entropy"})
      rest.push_back(score_text(score(m, key).value));
    first.add(row);
    row.insert(row.end(), rest.begin() + 1, rest.end());
    one.add(std::move(row));
    second.add(std::move(rest));
  }
  if (fits(one.render(false, o.width), o)) return one.render(o.colour, o.width);
  return first.render(o.colour, o.width) + "\n" + second.render(o.colour, o.width);
}

/// What a built-in measure is, in a line.
std::string measure_words(const UncertaintyResult& r, const TerminalOptions& o) {
  static constexpr std::pair<const char*, const char*> kWords[] = {
      {"entropy", "spread of the predicted probabilities over all classes"},
      {"u1", "-log of the largest probability: uncertainty about the top class"},
      {"u5", "-log of the sum of the five largest probabilities"},
      {"loss", "-log of the label's probability: it uses the label, so it is only a bound"},
      {"variance", "spread of the samples' probabilities around their mean"},
      {"mutual_information", "how much the samples disagree: entropy minus expected entropy"},
      {"expected_entropy", "mean entropy of the samples: what more samples cannot reduce"}};
  TextTable table({"", ""});
  for (const MeasureResult& m : r.measures)
    for (const auto& [name, words] : kWords)
      if (is_ranked(m) && m.name == name) table.add({name, words});
  std::string text = table.render(o.colour, o.width);
  return text.substr(std::min(text.size(), text.find('\n') + 1));  // it has no header
}

/// One sentence on the best measure that does not look at the label.
std::string meaning(const UncertaintyResult& r) {
  const auto best = std::find_if(r.measures.begin(), r.measures.end(), [](const MeasureResult& m) {
    return is_ranked(m) && m.name != "loss" && score(m, "eor").value;
  });
  if (best == r.measures.end()) return "No measure has an odds ratio here; see below.";
  const MetricResult& eor = score(*best, "eor");
  std::string text = fmt::format("Knowing {} changes the odds of a right answer by a factor of {} on average",
                                 best->name, ratio(*eor.value));
  if (!eor.null_mean) return text + " (1: no information).";
  text += fmt::format("; a useless measure would show {} on these data.", ratio(*eor.null_mean));
  if (*eor.p_value > 0.05) text += " Chance can explain the difference.";
  return text;
}

/// Plain thresholds and guaranteed ones; in two parts where one is wider than the terminal.
std::string threshold_table(const UncertaintyResult& r, const TerminalOptions& o) {
  const bool sure = std::any_of(r.measures.begin(), r.measures.end(),
                                [](const MeasureResult& m) { return !m.guarantees.empty(); });
  std::vector<std::string> header{"measure", "target",  sure ? "plain" : "keep below", "kept", "accuracy",
                                  "band",    "accuracy"};
  TextTable plain = table_of_numbers(header);
  TextTable guaranteed = table_of_numbers({"measure", "target", "guaranteed", "kept"});
  if (sure) header.insert(header.end(), {"guaranteed", "kept"});
  TextTable table = table_of_numbers(header);
  for (const MeasureResult& m : r.measures) {
    if (!is_ranked(m)) continue;
    bool any = false;  // a cut before this one: the band is what this one adds
    for (std::size_t j = 0; j < m.thresholds.cuts.size(); ++j) {
      const Threshold& t = m.thresholds.cuts[j];
      std::vector<std::string> row{j == 0 ? m.name : "", score_percent(t.target)};
      if (t.value) {
        row.insert(row.end(),
                   {score_text(*t.value), score_percent(t.kept_share), score_percent(*t.kept_accuracy),
                    any ? score_percent(t.share) : "", any ? score_percent(*t.accuracy) : ""});
      } else {
        row.insert(row.end(), {any ? "no other" : "none", "", "", "", ""});
      }
      plain.add(row);
      any = any || t.value;
      if (j < m.guarantees.size()) {
        const Guarantee& g = m.guarantees[j];
        row.push_back(g.value ? score_text(*g.value) : "none");
        row.push_back(g.value ? score_percent(g.share) : "");
        guaranteed.add({row[0], row[1], row[row.size() - 2], row.back()});
      }
      row.resize(header.size());
      table.add(std::move(row));
    }
    if (!m.thresholds.rest_accuracy || m.thresholds.cuts.empty()) continue;
    std::vector<std::string> rest{"", "the rest", "", score_percent(m.thresholds.rest_share),
                                  score_percent(*m.thresholds.rest_accuracy)};
    rest.resize(7);
    plain.add(rest);
    rest.resize(header.size());
    table.add(std::move(rest));
  }
  if (!sure || fits(table.render(false, o.width), o)) return table.render(o.colour, o.width);
  return plain.render(o.colour, o.width) + "\n" + guaranteed.render(o.colour, o.width);
}

std::string threshold_words(const UncertaintyResult& r) {
  std::string text =
      "Items below the threshold are kept; a band is what each further threshold adds to the one before.";
  if (r.confidence == 0) return text;
  return text +
         fmt::format(
             " A plain threshold reaches its target on these items, each band by itself; on new items it misses it in about half of all test sets. A guaranteed threshold applies the target to everything kept, so it can keep more than a plain one. Guaranteed, for one measure and target: with probability at least {:g}% over the test set, the accuracy of future items kept is at least the target, if they come from the same distribution as these {}.",
             100 * r.confidence, r.groups > 0 ? "groups" : "items");
}

/// Accuracy of what is kept when about this share of the items is deferred.
std::string deferral_table(const UncertaintyResult& r, const TerminalOptions& o) {
  constexpr double kShares[] = {0, 0.05, 0.1, 0.2, 0.3, 0.5};
  std::vector<std::string> header{"measure"};
  for (const double share : kShares) header.push_back(fmt::format("{:.0f}%", 100 * share));
  TextTable table(header);
  for (std::size_t c = 1; c < header.size(); ++c) table.right(c);
  for (const MeasureResult& m : r.measures) {
    if (!is_ranked(m) || m.deferral.empty()) continue;
    std::vector<std::string> row{m.name};
    for (const double share : kShares) {
      // Ties may leave a gap: the point that defers most without going beyond the share.
      const DeferralPoint* at = nullptr;
      for (const DeferralPoint& p : m.deferral)
        if (p.handed_over <= share + 1e-9) at = &p;
      row.push_back(at != nullptr ? score_percent(at->accuracy) : "-");
    }
    table.add(std::move(row));
  }
  return table.render(o.colour, o.width);
}

std::string suspect_table(const UncertaintyResult& r, const ItemNames& names, const TerminalOptions& o) {
  const bool shares =
      std::any_of(r.suspects.begin(), r.suspects.end(), [](const Suspect& s) { return s.agreement > 0; });
  TextTable table({"item", r.suspects_by, shares ? "votes that agree" : "", "label", "prediction"});
  table.right(1);
  table.right(2);
  const auto name = [&](std::int64_t k) {
    return names.classes.empty() ? std::to_string(k) : detail::printable(names.classes[k], 20);
  };
  for (const Suspect& s : r.suspects)
    table.add({names.ids.empty() ? std::to_string(s.row) : detail::printable(names.ids.name(s.row), 40),
               score_text(s.score), shares ? score_percent(s.agreement) : "", name(s.label),
               name(s.prediction)});
  return table.render(o.colour, o.width);
}

}  // namespace

std::vector<std::string> uncertainty_notes(const UncertaintyResult& r, const UncertaintyOptions& o) {
  std::vector<std::string> notes;
  std::string doubtful;
  if (r.left_out > 0)
    notes.push_back(counted(r.left_out, "item") + " without votes or of weight 0 " +
                    (r.left_out == 1 ? "was" : "were") + " left out");
  if (!r.few_units.empty()) notes.push_back(r.few_units);
  for (const MeasureResult& m : r.measures) {
    if (!is_ranked(m)) {
      notes.push_back(m.name + ": " + m.why);
      continue;
    }
    for (const auto& [key, value] : m.scores)
      if (!value.value) notes.push_back(m.name + ", " + key + ": " + value.why);
    if (m.odds_bins.empty() && m.bins.size() > 1 && m.pooled_bins + 1 == std::ssize(m.bins))
      notes.push_back(
          m.name +
          ": pooling left a single bin, so its odds ratio of 1 carries no information; this happens when the measure separates right from wrong almost perfectly (see auroc), or when there are very few wrong answers; ⟦degenerate⟧ jeffreys gives a number");
    if (m.doubtful_bins > 0 && (o.bins || o.coarsen > 0))  // else the odds ratio has bins of its own
      doubtful +=
          fmt::format("{}{} {} of {}", doubtful.empty() ? "" : ", ", m.name, m.doubtful_bins, m.bins.size());
  }
  const std::int64_t units = r.groups > 0 ? r.groups : r.items;
  for (const double target : o.targets)
    if (r.confidence > 0 && target < 1 && units < least_units(target, r.confidence))
      notes.push_back(fmt::format("a target of {:g} cannot be guaranteed with {}: it takes {} or more",
                                  target, counted(units, r.groups > 0 ? "group" : "item"),
                                  least_units(target, r.confidence)));
  if (o.bootstrap > 0 && o.bins && r.items > 0)
    notes.push_back(
        "with ⟦bins⟧ the interval of eor is too narrow: it can miss the odds ratio of a larger test set far more often than its level says; leave ⟦bins⟧ out for one that covers");
  if (!doubtful.empty())
    notes.push_back(fmt::format(
        "bins too small to trust ({}): only right or only wrong answers, or a standard error above {:g} of the rarer outcome's share; {}",
        doubtful, o.coarsen > 0 ? o.coarsen : kTrustedRelativeError,
        o.coarsen > 0
            ? "there are too few answers of one kind"
            : fmt::format("⟦coarsen⟧ {:g} merges them with their neighbours", kTrustedRelativeError)));
  return notes;
}

std::string render_uncertainty(const UncertaintyResult& r, const ItemNames& names,
                               const std::vector<std::string>& notes, const TerminalOptions& o) {
  const bool histogram = r.items == 0;
  std::string title =
      histogram ? fmt::format("A histogram of {}", counted(std::ssize(r.measures.front().bins), "bin"))
                : detail::thousands(r.items) + (r.items == 1 ? " item" : " items");
  title += fmt::format(", {} of the answers right", score_percent(r.accuracy));
  if (r.base != r.accuracy) title += fmt::format("; odds relative to {}", score_percent(r.base));
  std::string out = detail::bold(title, o.colour) + "\n";
  const auto section = [&](const std::string& name, const std::string& body) {
    out += "\n" + detail::bold(name, o.colour) + "\n" + body;
  };
  section("The measures, best first", measure_table(r, o));
  if (!histogram) out += "\n  " + detail::wrap(meaning(r), o.width - 2, "  ") + "\n\n" + measure_words(r, o);
  const bool cuts = std::any_of(r.measures.begin(), r.measures.end(),
                                [](const MeasureResult& m) { return !m.thresholds.cuts.empty(); });
  if (cuts) {
    section("Thresholds: the largest part whose accuracy reaches the target", threshold_table(r, o));
    out += "\n  " + detail::wrap(threshold_words(r), o.width - 2, "  ") + "\n";
  }
  if (!histogram)
    section("Defer the most uncertain items to a person: accuracy of the rest", deferral_table(r, o));
  if (!r.suspects.empty())
    section("Suspects: wrong, and least uncertain by " + r.suspects_by + "; mislabelled or ambiguous?",
            suspect_table(r, names, o));
  if (!notes.empty()) section("Notes", detail::paragraphs(notes, o));
  return out;
}

}  // namespace plumb
