#include "plumb/report/ceiling.hpp"

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

/// "the model is closer to the other raters than 5 of 7 raters (clearly than 3, clearly farther than 1)".
std::string place_words(const CeilingSummary& s, const Votes& votes) {
  const bool shares = s.key == "agreement";
  const auto value = [&](double x) {
    return shares ? fmt::format("{:.1f}%", 100 * x) : fmt::format("{:.4f}", x);
  };
  return fmt::format(
      "By {}, the model is closer to the other raters than {} of {} are (clearly closer than {}, clearly farther than {}). The median rater has {}, the best one, {}, {}; the model, against the same votes, {}.",
      shares             ? "the share of votes that agree"
      : s.key == "brier" ? "the Brier score"
                         : "the ranked probability score",
      s.farther, counted(s.raters, "rater"), s.surely_farther, s.surely_nearer, value(s.median_rater),
      detail::printable(votes.rater_name(s.best), 30), value(s.best_rater), value(s.median_model));
}

}  // namespace

void add_ceiling(const std::vector<CeilingRow>& rows, const Votes& votes, Result& result) {
  Table t;
  t.columns = {"rater", "metric", "items", "rater_value", "model_value", "difference", "low", "high"};
  for (const CeilingRow& r : rows)
    for (const CeilingScore& s : r.scores)
      t.rows.push_back({votes.rater_name(r.rater), s.key, r.items, s.rater, s.model, s.difference(),
                        s.low ? Value(*s.low) : Value{}, s.high ? Value(*s.high) : Value{}});
  result.tables.emplace_back("ceiling", std::move(t));
  Tree::Members all;
  for (const CeilingSummary& s : summarise_ceiling(rows)) {
    const auto whole = [](int x) { return Tree(Value(std::int64_t{x})); };
    all.emplace_back(s.key, Tree::Members{{"raters", whole(s.raters)},
                                          {"farther", whole(s.farther)},
                                          {"clearly_farther", whole(s.surely_farther)},
                                          {"clearly_nearer", whole(s.surely_nearer)},
                                          {"median_rater", s.median_rater},
                                          {"best_rater", Value(votes.rater_name(s.best))},
                                          {"best_rater_value", s.best_rater},
                                          {"median_model", s.median_model},
                                          {"sentence", Value(place_words(s, votes))}});
  }
  if (!all.empty()) result.sections.emplace_back("ceiling", std::move(all));
}

std::string render_ceiling(const std::vector<CeilingRow>& rows, const Votes& votes,
                           const TerminalOptions& options) {
  constexpr std::size_t kMostRows = 20;
  std::size_t shown = 0;
  detail::TextTable table({"agrees with the others", "items", "rater", "model", "difference"});
  for (const std::size_t c : {1, 2, 3}) table.right(c);
  for (const CeilingRow& r : rows) {
    if (r.scores.empty()) continue;
    const CeilingScore& s = r.scores.front();
    if (++shown > kMostRows) continue;
    table.add({detail::printable(votes.rater_name(r.rater), 30), std::to_string(r.items),
               fmt::format("{:.3f}", s.rater), fmt::format("{:.3f}", s.model),
               s.low ? fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]", s.difference(), *s.low, *s.high)
                     : fmt::format("{:+.3f}", s.difference())});
  }
  if (shown == 0) return "";
  std::string out = "\n" + table.render(options.colour, options.width) + "\n";
  for (const CeilingSummary& s : summarise_ceiling(rows))
    out += detail::wrap(place_words(s, votes), options.width, "") + "\n";
  return out;
}

}  // namespace plumb
