#include "plumb/report/ceiling.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

double median_of(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const std::size_t n = x.size();
  return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
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
}

std::string render_ceiling(const std::vector<CeilingRow>& rows, const Votes& votes,
                           const TerminalOptions& options) {
  constexpr std::size_t kMostRows = 20;
  std::vector<double> raters, model;
  detail::TextTable table({"agrees with the others", "items", "rater", "model", "difference"});
  for (const std::size_t c : {1, 2, 3}) table.right(c);
  for (const CeilingRow& r : rows) {
    if (r.scores.empty()) continue;
    const CeilingScore& s = r.scores.front();
    raters.push_back(s.rater);
    model.push_back(s.model);
    if (raters.size() > kMostRows) continue;
    table.add({detail::printable(votes.rater_name(r.rater), 30), std::to_string(r.items),
               fmt::format("{:.3f}", s.rater), fmt::format("{:.3f}", s.model),
               s.low ? fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]", s.difference(), *s.low, *s.high)
                     : fmt::format("{:+.3f}", s.difference())});
  }
  if (raters.empty()) return "";
  const std::string words = fmt::format(
      "The median rater agrees with {:.1f}% of the others' votes on the same items; the model, against the same votes, with {:.1f}%.",
      100 * median_of(raters), 100 * median_of(model));
  return "\n" + table.render(options.colour, options.width) + "\n" + detail::wrap(words, options.width, "") +
         "\n";
}

}  // namespace plumb
