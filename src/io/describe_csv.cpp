#include <algorithm>
#include <map>

#include "io/csv_table.hpp"
#include "io/describe_facts.hpp"
#include "io/text.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kMostDistinct = 20;
constexpr std::size_t kChunk = std::size_t{1} << 20;

struct Group {
  std::string prefix;
  std::vector<std::size_t> columns;
};

struct Column {
  NumberFacts facts;
  bool text = false;
  bool padded = false;  // "00372": a name in digits, which a number would shorten
  std::int64_t missing = 0;
  std::map<std::string, std::int64_t, std::less<>> first_seen;  // empty and closed once there are too many

  bool many = false;

  [[nodiscard]] bool names() const { return text || padded; }

  void add(std::string_view s, std::int64_t row) {
    padded = padded || (s.size() > 1 && s[0] == '0' && s.find_first_not_of("0123456789") == s.npos);
    if (many) return;
    const auto it = first_seen.find(s);
    if (it != first_seen.end()) {
      it->second = std::min(it->second, row);
    } else {
      first_seen.emplace(s, row);
    }
    close_if_many();
  }
  void close_if_many() {
    many = many || first_seen.size() > kMostDistinct;
    if (many) first_seen.clear();
  }
  void merge(const Column& o) {
    facts.merge(o.facts);
    text = text || o.text;
    padded = padded || o.padded;
    missing += o.missing;
    many = many || o.many;
    for (const auto& [s, row] : o.first_seen) add(s, row);
    close_if_many();
  }
};

struct State {
  std::vector<Column> columns;
  std::vector<NumberFacts> groups;
};

/// "c100_e" belongs to "c100_", "rater12" to "rater", "7" to "".
std::string prefix_of(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string::npos) return "";
  if (digits + 1 < name.size()) return name.substr(0, digits + 1);
  const std::size_t mark = name.find_last_of("_.-: ");
  return mark == std::string::npos ? name : name.substr(0, mark + 1);
}

std::vector<Group> groups_of(const std::vector<std::string>& columns) {
  std::vector<Group> groups;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string prefix = prefix_of(columns[c]);
    const auto same = [&](const Group& g) { return g.prefix == prefix; };
    const auto it = std::find_if(groups.begin(), groups.end(), same);
    if (it == groups.end()) {
      groups.push_back({prefix, {c}});
    } else {
      it->columns.push_back(c);
    }
  }
  std::erase_if(groups, [](const Group& g) { return g.columns.size() < 2; });
  return groups;
}

/// A column's name as a selection takes it.
std::string as_selection(const std::string& name) {
  if (name.find_first_of(",\"*") == std::string::npos && trimmed(name) == name) return name;
  std::string s = "\"";
  for (const char c : name) s += c == '"' ? std::string("\"\"") : std::string(1, c);
  return s + "\"";
}

std::string selection_of(const Group& g, const std::vector<std::string>& columns) {
  if (g.columns.size() == columns.size()) return "";
  const auto fits = std::count_if(columns.begin(), columns.end(),
                                  [&](const std::string& c) { return c.starts_with(g.prefix); });
  const bool plain = !g.prefix.empty() && g.prefix.find_first_of(",\"*") == std::string::npos;
  if (g.columns.size() > 3 && plain && fits == std::ssize(g.columns)) return g.prefix + "*";
  std::string s;
  for (const std::size_t c : g.columns) s += (s.empty() ? "" : ",") + as_selection(columns[c]);
  return s;
}

State collect(const CsvTable& t, const std::vector<Group>& groups, int threads) {
  const State initial{std::vector<Column>(t.columns.size()), std::vector<NumberFacts>(groups.size())};
  return parallel_reduce_blocks(
      std::ssize(t.chunks), 1, threads, initial,
      [&](State& state, std::int64_t begin, std::int64_t) {
        std::vector<double> values(t.columns.size());
        for_each_record(t, t.chunks[begin],
                        [&](std::int64_t row, const char*, std::span<const CsvField> fields) {
                          for (std::size_t c = 0; c < fields.size(); ++c) {
                            Column& column = state.columns[c];
                            values[c] = std::numeric_limits<double>::quiet_NaN();
                            const NumberText kind = parse_number(trimmed(fields[c].text), values[c]);
                            const bool missing = kind == NumberText::empty || fields[c].text == "NA";
                            column.missing += missing ? 1 : 0;
                            column.text = column.text || (kind != NumberText::good && !missing);
                            if (kind == NumberText::good) column.facts.add(values[c]);
                            if (!missing) column.add(fields[c].text, row);
                          }
                          for (std::size_t g = 0; g < groups.size(); ++g) {
                            double sum = 0;
                            for (const std::size_t c : groups[g].columns) sum += values[c];
                            state.groups[g].add_sum(sum);
                          }
                        });
      },
      [](State& into, const State& from) {
        for (std::size_t c = 0; c < into.columns.size(); ++c) into.columns[c].merge(from.columns[c]);
        for (std::size_t g = 0; g < into.groups.size(); ++g) into.groups[g].merge(from.groups[g]);
      });
}

ArrayInfo describe_column(const CsvTable& t, std::size_t c, const Column& column) {
  ArrayInfo a;
  a.path = t.name;
  a.member = as_selection(t.columns[c]);
  a.name = t.name + ":" + a.member;
  a.shape = {t.rows};
  a.missing = column.missing;
  if (!column.names()) {
    conclude(column.facts, a);
    return a;
  }
  a.dtype = DType::text;
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [s, row] : column.first_seen) order.emplace_back(row, s);
  std::sort(order.begin(), order.end());
  for (auto& entry : order) {
    if (!valid_utf8(entry.second)) a.problem = "the text is not UTF-8; save the file as UTF-8";
    a.distinct.push_back(std::move(entry.second));
  }
  if (!a.problem.empty()) a.distinct.clear();
  conclude_text(a);
  return a;
}

}  // namespace

std::vector<ArrayInfo> describe_csv(std::span<const std::byte> bytes, const std::string& path, char delimiter,
                                    int threads) {
  const CsvTable t = open_csv(bytes, path, delimiter, kChunk, threads);
  const std::vector<Group> groups = groups_of(t.columns);
  const State state = collect(t, groups, threads);
  std::vector<ArrayInfo> infos;
  for (std::size_t c = 0; c < t.columns.size(); ++c) infos.push_back(describe_column(t, c, state.columns[c]));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    NumberFacts facts = state.groups[g];
    ArrayInfo a;
    bool text = false;
    for (const std::size_t c : groups[g].columns) {
      facts.merge(state.columns[c].facts);
      text = text || state.columns[c].names();
      a.missing += state.columns[c].missing;
    }
    if (text) continue;
    a.path = path;
    a.member = selection_of(groups[g], t.columns);
    a.name = a.member.empty() ? path : path + ":" + a.member;
    a.shape = {t.rows, std::ssize(groups[g].columns)};
    conclude(facts, a);
    if (!a.uses.empty()) infos.push_back(std::move(a));
  }
  return infos;
}

}  // namespace plumb::detail
