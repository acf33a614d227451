// Columns that belong together by their names, and how a selection names columns.
#include <algorithm>

#include "io/describe_facts.hpp"
#include "io/text.hpp"

namespace plumb::detail {
namespace {

/// "c100_e" belongs to "c100_", "rater12" to "rater", "7" to "".
std::string prefix_of(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string::npos) return "";
  if (digits + 1 < name.size()) return name.substr(0, digits + 1);
  const std::size_t mark = name.find_last_of("_.-: ");
  return mark == std::string::npos ? name : name.substr(0, mark + 1);
}

}  // namespace

std::vector<ColumnGroup> column_groups(const std::vector<std::string>& columns) {
  std::vector<ColumnGroup> groups;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string prefix = prefix_of(columns[c]);
    const auto same = [&](const ColumnGroup& g) { return g.prefix == prefix; };
    const auto it = std::find_if(groups.begin(), groups.end(), same);
    if (it == groups.end()) {
      groups.push_back({prefix, {c}});
    } else {
      it->columns.push_back(c);
    }
  }
  std::erase_if(groups, [](const ColumnGroup& g) { return g.columns.size() < 2; });
  return groups;
}

std::string as_selection(const std::string& name) {
  if (name.find_first_of(",\"*") == std::string::npos && trimmed(name) == name) return name;
  std::string s = "\"";
  for (const char c : name) s += c == '"' ? std::string("\"\"") : std::string(1, c);
  return s + "\"";
}

std::string group_selection(const ColumnGroup& g, const std::vector<std::string>& columns) {
  if (g.columns.size() == columns.size()) return "";
  const auto fits = std::count_if(columns.begin(), columns.end(),
                                  [&](const std::string& c) { return c.starts_with(g.prefix); });
  const bool plain = !g.prefix.empty() && g.prefix.find_first_of(",\"*") == std::string::npos;
  if (g.columns.size() > 3 && plain && fits == std::ssize(g.columns)) return g.prefix + "*";
  std::string s;
  for (const std::size_t c : g.columns) s += (s.empty() ? "" : ",") + as_selection(columns[c]);
  return s;
}

}  // namespace plumb::detail
