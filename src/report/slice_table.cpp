#include "report/slice_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/look_up.hpp"
#include "report/paragraphs.hpp"
#include "report/text_table.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kSlicesShown = 20;  ///< of one way to slice; the JSON has them all
constexpr std::size_t kLongestName = 24;

struct Column {
  std::string header;
  std::vector<std::string> cells;
  int rank;  ///< 0 stays; larger ones give way first
  [[nodiscard]] std::size_t width() const {
    std::size_t w = text_width(header);
    for (const std::string& cell : cells) w = std::max(w, text_width(cell));
    return w + 2;
  }
};

using Groups = std::vector<const GroupResult*>;

std::string value_of(const GroupResult& g, const std::string& key, const SliceColumns& c) {
  for (const auto& [name, x] : g.metrics)
    if (name == key) return x ? c.number(*x) : "-";
  return "-";
}

std::string interval_of(const GroupResult& g, const SliceColumns& c, bool all) {
  for (const auto& [name, i] : g.intervals)
    if (name == c.first)
      return "[" + c.number(all ? i.simultaneous_low : i.low) + ", " +
             c.number(all ? i.simultaneous_high : i.high) + "]";
  return "";
}

std::vector<Column> columns_of(const Result& r, const Groups& groups, const SliceColumns& c) {
  std::vector<Column> out{{"slice", {}, 0}, {"items", {}, 0}, {"votes", {}, 9}};
  for (const GroupResult* g : groups) {
    out[0].cells.push_back(printable(g->group, kLongestName));
    out[1].cells.push_back(thousands(g->items));
    out[2].cells.push_back(thousands(g->votes));
  }
  if (r.votes == r.items || r.votes == 0) out.pop_back();
  int rank = 3;
  for (const std::string& key : c.keys) {
    Column column{key, {}, key == c.first ? 0 : rank++};
    for (const GroupResult* g : groups) column.cells.push_back(value_of(*g, key, c));
    out.push_back(std::move(column));
    if (key != c.first) continue;
    const bool drawn =
        std::any_of(groups.begin(), groups.end(), [](const auto* g) { return !g->intervals.empty(); });
    if (!drawn) continue;
    Column plain{fmt::format("{:g}% interval", 100 * setting<double>(r, "level", 0.95)), {}, 1};
    Column all{"simultaneous", {}, 2};
    for (const GroupResult* g : groups) {
      plain.cells.push_back(interval_of(*g, c, false));
      all.cells.push_back(interval_of(*g, c, true));
    }
    out.push_back(std::move(plain));
    if (r.per_group.size() > 1) out.push_back(std::move(all));
  }
  return out;
}

std::string one_table(const Result& r, Groups groups, const SliceColumns& c, const TerminalOptions& o) {
  const std::size_t slices = groups.size();
  if (groups.size() > kSlicesShown) groups.resize(kSlicesShown);
  std::vector<Column> columns = columns_of(r, groups, c);
  std::vector<std::string> left_out;
  const auto width = [&] {
    std::size_t w = 0;
    for (const Column& column : columns) w += column.width();
    return w;
  };
  while (width() > static_cast<std::size_t>(std::max(o.width, 40))) {
    const auto last = std::max_element(columns.begin(), columns.end(),
                                       [](const Column& a, const Column& b) { return a.rank < b.rank; });
    if (last->rank == 0) break;
    if (std::find(c.keys.begin(), c.keys.end(), last->header) != c.keys.end())
      left_out.insert(left_out.begin(), last->header);
    columns.erase(last);
  }
  std::vector<std::string> header;
  for (const Column& column : columns) header.push_back(column.header);
  TextTable table(header);
  for (std::size_t i = 1; i < columns.size(); ++i) table.right(i);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::string> row;
    for (const Column& column : columns) row.push_back(column.cells[g]);
    table.add(std::move(row));
  }
  std::string out = table.render(o.colour, o.width), more;
  if (slices > kSlicesShown) more = fmt::format("and {} more slices in the JSON", slices - kSlicesShown);
  if (!left_out.empty()) {
    more += more.empty() ? "the JSON also has " : "; for all slices also ";
    for (std::size_t i = 0; i < left_out.size(); ++i) more += (i == 0 ? "" : ", ") + left_out[i];
  }
  if (!more.empty()) out += dim("  " + wrap(more, o.width - 4, "    "), o.colour) + "\n";
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> slice_tables(const Result& r, const SliceColumns& columns,
                                                              const TerminalOptions& o) {
  std::vector<std::pair<std::string, Groups>> ways;
  for (const GroupResult& g : r.per_group) {
    if (ways.empty() || ways.back().first != g.by) ways.push_back({g.by, {}});
    ways.back().second.push_back(&g);
  }
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [by, groups] : ways)
    out.emplace_back(ways.size() > 1 ? "By slice: " + printable(by, 60) : "By slice",
                     one_table(r, groups, columns, o));
  return out;
}

}  // namespace plumb::detail
