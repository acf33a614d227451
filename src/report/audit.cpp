#include "report/audit.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "report/look_up.hpp"
#include "report/paragraphs.hpp"
#include "report/text_table.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kRowsOfAudit = 20;
constexpr std::size_t kLongestSlice = 40;

using AuditRow = std::vector<Value>;

const Table* audit_table(const Result& r, std::string_view name) {
  for (const auto& [key, t] : r.tables)
    if (key == name) return &t;
  return nullptr;
}

const Value& cell_of(const Table& t, const AuditRow& row, const std::string& column) {
  static const Value kNone;
  const auto at = std::find(t.columns.begin(), t.columns.end(), column) - t.columns.begin();
  return at < std::ssize(row) ? row[at] : kNone;
}

std::string audit_number(const Table& t, const AuditRow& row, const std::string& column) {
  const double* x = std::get_if<double>(&cell_of(t, row, column));
  return x != nullptr ? fmt::format("{:.4f}", *x) : "-";
}

std::string audit_text(const Table& t, const AuditRow& row, const std::string& column) {
  const auto* x = std::get_if<std::string>(&cell_of(t, row, column));
  return x != nullptr ? *x : "";
}

std::string slice_title(const Table& t, const AuditRow& row) {
  return printable(audit_text(t, row, "by") + " " + audit_text(t, row, "slice"), kLongestSlice);
}

bool flag_of(const Table& t, const AuditRow& row, const std::string& column) {
  const bool* x = std::get_if<bool>(&cell_of(t, row, column));
  return x != nullptr && *x;
}

const GroupResult* slice_of(const Result& r, const std::string& by, const std::string& name) {
  for (const GroupResult& g : r.per_group)
    if (g.by == by && g.group == name) return &g;
  return nullptr;
}

std::string metric_of(const GroupResult& g, std::string_view key) {
  for (const auto& [name, x] : g.metrics)
    if (name == key) return x ? fmt::format("{:.4f}", *x) : "-";
  return "-";
}

}  // namespace

std::string audit_ranks(const Result& r, const TerminalOptions& o) {
  const Table* ranks = audit_table(r, "audit_ranks");
  if (ranks == nullptr) return "";
  const auto key = setting<std::string>(r, "rank", "ece");
  const bool ece = key == "ece";
  TextTable table({"rank", "slice", "items", key, ece ? "corrected" : "", "simultaneous interval"});
  for (const std::size_t c : {0, 2, 3, 4}) table.right(c);
  std::size_t shown = 0, small = 0;
  for (const AuditRow& row : ranks->rows) {
    if (flag_of(*ranks, row, "small")) {
      ++small;
      continue;
    }
    if (++shown > kRowsOfAudit) continue;
    const GroupResult* g = slice_of(r, audit_text(*ranks, row, "by"), audit_text(*ranks, row, "slice"));
    if (g == nullptr) continue;
    std::string interval;
    for (const auto& [name, i] : g->intervals)
      if (name == key) interval = fmt::format("[{:.4f}, {:.4f}]", i.simultaneous_low, i.simultaneous_high);
    table.add({std::to_string(shown), slice_title(*ranks, row), thousands(g->items), metric_of(*g, key),
               ece ? metric_of(*g, "ece_corrected") : "", interval});
  }
  std::string out = table.render(o.colour, o.width);
  std::vector<std::string> asides;
  if (shown > kRowsOfAudit)
    asides.push_back(fmt::format("{} more slices: ⟦json⟧ has them", shown - kRowsOfAudit));
  if (small > 0)
    asides.push_back(
        fmt::format("{} small {} left out (see the notes)", small, small == 1 ? "slice is" : "slices are"));
  for (const std::string& text : asides) out += dim("  " + spell(text, o.spelling), o.colour) + "\n";
  return out;
}

std::string audit_differences(const Result& r, const TerminalOptions& o) {
  const Table* audit = audit_table(r, "audit");
  if (audit == nullptr) return "";
  TextTable table({"metric", "slice", "value", "the rest", "difference", "simultaneous interval"});
  for (const std::size_t c : {2, 3, 4}) table.right(c);
  std::size_t clear = 0;
  std::set<std::string> compared, metrics;
  for (const AuditRow& row : audit->rows) {
    if (!std::holds_alternative<double>(cell_of(*audit, row, "low"))) continue;
    compared.insert(audit_text(*audit, row, "by") + "\n" + audit_text(*audit, row, "slice"));
    metrics.insert(audit_text(*audit, row, "metric"));
    if (!flag_of(*audit, row, "clear") || ++clear > kRowsOfAudit) continue;
    table.add({audit_text(*audit, row, "metric"), slice_title(*audit, row),
               audit_number(*audit, row, "value"), audit_number(*audit, row, "rest"),
               audit_number(*audit, row, "difference"),
               "[" + audit_number(*audit, row, "low") + ", " + audit_number(*audit, row, "high") + "]"});
  }
  if (compared.empty()) return paragraphs({"No slice is large enough to be compared with the rest."}, o);
  if (clear == 0)
    return paragraphs(
        {fmt::format(
            "None of {} slices differs from the rest by more than chance allows, on any of {} metrics.",
            compared.size(), metrics.size())},
        o);
  std::string out = table.render(o.colour, o.width);
  if (clear > kRowsOfAudit)
    out += dim("  " + spell(fmt::format("and {} more: ⟦json⟧ has them", clear - kRowsOfAudit), o.spelling),
               o.colour) +
           "\n";
  return out +
         dim("  Only differences larger than chance allows. Intervals hold for all slices of a metric at once.",
             o.colour) +
         "\n";
}

}  // namespace plumb::detail
