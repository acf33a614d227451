// Intervals of decisions at thresholds: how often they cover sensitivity, specificity, predictive values and
// net benefit of the population; and those of `ipa`.
#include <array>
#include <map>

#include <fmt/format.h>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::laws {
namespace {

constexpr std::array kNames{"sensitivity", "specificity", "ppv", "npv", "net_benefit"};

double entry(const Table& t, const std::string& column) {
  const auto at = std::find(t.columns.begin(), t.columns.end(), column) - t.columns.begin();
  return std::get<double>(t.rows.front().at(at));
}

const Table& thresholds_of(const Result& r) {
  for (const auto& [name, table] : r.tables)
    if (name == "thresholds") return table;
  throw std::logic_error("no thresholds");
}

void cover(Book& book, const Setting& s, double threshold, Wanted wanted) {
  const EvaluateOptions plain{
      .metrics = {"ipa"}, .threads = 1, .thresholds = {threshold}, .consensus = false};
  EvaluateOptions drawn = plain;
  drawn.bootstrap = 200;
  Setting big = s;
  big.n = book.whole() ? 400'000 : 50'000;
  big.groups = 0;
  const Result truth = evaluate(items_of(draw(big, 12345)), plain);
  const auto sets = simulate_sets(book.sets(400, 30), book.seed(), [&](std::uint64_t seed) {
    const Result r = evaluate(items_of(draw(s, seed)), drawn);
    const Table &t = thresholds_of(r), &real = thresholds_of(truth);
    std::map<std::string, char> out;
    for (const std::string name : kNames)
      out[name] =
          entry(t, name + "_low") <= entry(real, name) && entry(real, name) <= entry(t, name + "_high");
    out["ipa"] = *r["ipa"].low <= *truth["ipa"].value && *truth["ipa"].value <= *r["ipa"].high;
    return out;
  });
  std::map<std::string, std::vector<char>> by_name;
  for (const auto& set : sets)
    for (const auto& [name, hit] : set) by_name[name].push_back(hit);
  for (const auto& [name, hits] : by_name)
    book.rate("the interval of `" + name + "` covers" + (name == "ipa" ? "" : " at a threshold"),
              s.name + ", threshold " + fmt::format("{:g}", threshold), wanted, hits);
}

void intervals_of_decisions(Book& book) {
  const Setting over{.name = "slope 0.74, N = 400", .slope = 0.74};
  const Setting votes{.name = "5 votes, slope 0.74, N = 200", .n = 200, .votes = 5, .slope = 0.74};
  const Setting groups{.name = "40 groups of 5, slope 0.74", .n = 200, .groups = 40, .slope = 0.74};
  constexpr Wanted kUsual{0.925, 0.975}, kDependent{0.92, 0.99};
  cover(book, over, 0.3, kUsual);
  cover(book, votes, 0.3, kDependent);
  cover(book, groups, 0.3, kDependent);
  if (!book.whole()) return;
  cover(book, over, 0.7, kUsual);
  cover(book, {.name = "rare events, N = 1000", .n = 1000, .mean = -3.5}, 0.05, kDependent);
}

const Topic kDecisions{"decisions", intervals_of_decisions};

}  // namespace
}  // namespace plumb::laws
