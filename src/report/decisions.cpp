#include "report/decisions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/text_table.hpp"

namespace plumb::detail {
namespace {

using Row = std::vector<Value>;

std::optional<double> entry(const Table& t, const Row& row, const std::string& column) {
  const auto at = std::find(t.columns.begin(), t.columns.end(), column) - t.columns.begin();
  const double* x = at < std::ssize(row) ? std::get_if<double>(&row[at]) : nullptr;
  return x != nullptr ? std::optional(*x) : std::nullopt;
}

std::string plain(const std::optional<double>& x) { return x ? fmt::format("{:.4f}", *x) : "-"; }

std::string with_bounds(const Table& t, const Row& row, const std::string& name) {
  const auto value = entry(t, row, name), low = entry(t, row, name + "_low"),
             high = entry(t, row, name + "_high");
  if (!value || !low || !high) return plain(value);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", *value, *low, *high);
}

}  // namespace

std::string decision_table(const Result& r, const TerminalOptions& o) {
  for (const auto& [name, t] : r.tables) {
    if (name != "thresholds") continue;
    TextTable shares({"threshold", "sensitivity", "specificity", "PPV", "NPV"});
    TextTable benefit({"threshold", "treated", "net benefit", "treat all", "treat none"});
    for (const Row& row : t.rows) {
      const std::string at = fmt::format("{:g}", entry(t, row, "threshold").value_or(0));
      shares.add({at, with_bounds(t, row, "sensitivity"), with_bounds(t, row, "specificity"),
                  with_bounds(t, row, "ppv"), with_bounds(t, row, "npv")});
      benefit.add({at, fmt::format("{:.1f}%", 100 * entry(t, row, "treated").value_or(0)),
                   with_bounds(t, row, "net_benefit"), plain(entry(t, row, "treat_all")), "0"});
    }
    return shares.render(o.colour, o.width) + "\n" + benefit.render(o.colour, o.width);
  }
  return "";
}

std::string net_benefit_table(const Table& t, const TerminalOptions& o) {
  if (t.rows.empty()) return "";
  TextTable out({"threshold", "models", "difference", "interval", "p-value"});
  const auto text = [](const Value& v) { return printable(std::get<std::string>(v), 16); };
  for (const Row& row : t.rows) {
    const auto low = entry(t, row, "low"), high = entry(t, row, "high"), p = entry(t, row, "p_value");
    out.add({fmt::format("{:g}", entry(t, row, "threshold").value_or(0)),
             text(row[2]) + " minus " + text(row[1]), plain(entry(t, row, "difference")),
             low && high ? "[" + plain(low) + ", " + plain(high) + "]" : "",
             p ? fmt::format("{:.3f}", *p) : ""});
  }
  return out.render(o.colour, o.width);
}

}  // namespace plumb::detail
