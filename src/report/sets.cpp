#include "plumb/report/sets.hpp"

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/report/results.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

Value share_value(const std::optional<double>& x) { return x ? Value(*x) : Value{}; }

Table coverage_rows(const char* what, const std::vector<Coverage>& list) {
  Table t;
  t.columns = {what, "items", "coverage", "low", "high"};
  for (const Coverage& c : list)
    t.rows.push_back({c.against, c.items, share_value(c.value), share_value(c.low), share_value(c.high)});
  return t;
}

std::vector<Coverage> with_class_names(std::vector<Coverage> list, const std::vector<std::string>& classes) {
  for (std::size_t k = 0; k < list.size() && k < classes.size(); ++k) list[k].against = classes[k];
  return list;
}

std::string coverage_lines(const char* what, const std::vector<Coverage>& list,
                           const TerminalOptions& options) {
  detail::TextTable table({what, "items", "coverage"});
  table.right(1);
  for (const Coverage& c : list)
    table.add({detail::printable(c.against, 30), std::to_string(c.items),
               !c.value ? "-"
               : c.low  ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", *c.value, *c.low, *c.high)
                        : fmt::format("{:.3f}", *c.value)});
  return table.render(options.colour, options.width) + "\n";
}

}  // namespace

void add_sets(const SetsResult& r, const SetsOptions& o, const Items& items, Result& result) {
  set_task(result, items);
  result.votes = r.votes;
  result.settings = {
      {"level", o.level},
      {"ties", std::string(ties_name(o.ties))},
      {"seed", o.seed},
      {"unit", std::string(items.groups.empty() ? "item" : "group")},
      {"weighting", std::string("each item one; its coverage is the share of its votes in the set")}};
  const Coverage& votes = r.coverage.front();
  Tree::Members sets{{"coverage", *votes.value}};
  if (votes.low) {
    sets.emplace_back("low", *votes.low);
    sets.emplace_back("high", *votes.high);
  }
  sets.emplace_back("mean_size", r.mean_size);
  sets.emplace_back("size_low", r.size_low);
  sets.emplace_back("size_high", r.size_high);
  sets.emplace_back("empty", Value(r.empty));
  result.sections.emplace_back("sets", std::move(sets));
  result.tables.emplace_back("set_coverage", coverage_rows("against", r.coverage));
  result.tables.emplace_back("set_sizes", coverage_rows("size", r.by_size));
  result.tables.emplace_back("set_classes",
                             coverage_rows("class", with_class_names(r.by_class, items.class_names)));
  if (!r.by_class_of_groups.empty())
    result.tables.emplace_back(
        "set_classes_of_groups",
        coverage_rows("class", with_class_names(r.by_class_of_groups, items.class_names)));
  if (!r.by_slice.empty()) result.tables.emplace_back("set_slices", coverage_rows("slice", r.by_slice));
}

std::string render_sets(const SetsResult& r, const std::vector<std::string>& classes,
                        const TerminalOptions& options) {
  std::string out = fmt::format("{}, {}\nsets of {:.2f} [{:.2f}, {:.2f}] classes on average, {} empty\n\n",
                                counted(r.items, "item"), counted(r.votes, "vote"), r.mean_size, r.size_low,
                                r.size_high, r.empty);
  out += coverage_lines("against", r.coverage, options);
  out += coverage_lines("size of the set", r.by_size, options);
  out += coverage_lines("votes for", with_class_names(r.by_class, classes), options);
  if (!r.by_class_of_groups.empty())
    out += coverage_lines("votes for, mean over groups", with_class_names(r.by_class_of_groups, classes),
                          options);
  if (!r.by_slice.empty()) out += coverage_lines("slice", r.by_slice, options);
  return out;
}

}  // namespace plumb
