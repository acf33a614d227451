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

using Group = ColumnGroup;

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
  const std::vector<Group> groups = column_groups(t.columns);
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
    a.member = group_selection(groups[g], t.columns);
    a.name = a.member.empty() ? path : path + ":" + a.member;
    a.shape = {t.rows, std::ssize(groups[g].columns)};
    conclude(facts, a);
    if (!a.uses.empty()) infos.push_back(std::move(a));
  }
  return infos;
}

}  // namespace plumb::detail
