// Which columns a selection such as "a,b" or "p_*" means.
#include <algorithm>

#include "io/csv_table.hpp"
#include "io/text.hpp"

namespace plumb::detail {
namespace {

/// '*' stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + p, pattern.end(), [](char c) { return c == '*'; });
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string s;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    const bool plain = names[i].find(',') == std::string::npos;
    s += (i > 0 ? ", " : "") + (plain ? names[i] : in_quotes(names[i]));
  }
  if (names.size() > kMost) s += " and " + std::to_string(names.size() - kMost) + " more";
  return s;
}

std::vector<std::size_t> columns_named(const CsvTable& t, std::string_view wanted) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < t.columns.size(); ++c)
    if (t.columns[c] == wanted) found.push_back(c);
  if (found.size() > 1)
    throw InputError(t.name + " has " + std::to_string(found.size()) + " columns named " + in_quotes(wanted) +
                     "; give them different names");
  if (!found.empty() || wanted.find('*') == std::string_view::npos) return found;
  for (std::size_t c = 0; c < t.columns.size(); ++c)
    if (matches(wanted, t.columns[c])) found.push_back(c);
  return found;
}

}  // namespace

std::vector<std::size_t> select_columns(const CsvTable& t, const std::string& selection) {
  std::vector<std::size_t> picked;
  if (selection.empty()) {
    for (std::size_t c = 0; c < t.columns.size(); ++c) picked.push_back(c);
    return picked;
  }
  // A column may have a comma in its name.
  if (std::find(t.columns.begin(), t.columns.end(), selection) != t.columns.end())
    return columns_named(t, selection);
  CsvRecord names;
  const char* p = selection.data();
  const char* const end = p + selection.size();
  if (read_record(p, end, ',', names) != RecordFault::none || p != end)
    throw InputError(t.name + ": the column selection " + in_quotes(selection) + " has a misplaced quote");
  for (const CsvField& f : names.fields) {
    const std::vector<std::size_t> found = columns_named(t, f.text);
    if (found.empty())
      throw InputError(t.name + " has no column " + in_quotes(f.text) + did_you_mean(f.text, t.columns) +
                       "; it has " + listed(t.columns));
    for (const std::size_t c : found) {
      if (std::find(picked.begin(), picked.end(), c) != picked.end())
        throw InputError(t.name + ": the column " + in_quotes(t.columns[c]) + " is selected twice");
      picked.push_back(c);
    }
  }
  return picked;
}

}  // namespace plumb::detail
