#include "plumb/report/regression.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "report/look_up.hpp"
#include "report/paragraphs.hpp"
#include "report/rounded.hpp"
#include "report/slice_table.hpp"
#include "report/text_table.hpp"
#include "report/verdict_words.hpp"

namespace plumb {
namespace {

using detail::TextTable;
using detail::thousands;

std::string error_text(double x) {
  const double size = std::abs(x);
  return size != 0 && (size < 1e-3 || size >= 1e5) ? fmt::format("{:.4e}", x) : fmt::format("{:.4f}", x);
}

/// Rounded away from the value, so that it still bounds.
std::string error_bound(double x, detail::Round round) {
  const std::string text = error_text(x);
  return text.find('e') != std::string::npos ? text : detail::decimals_text(x, 4, round, true);
}

std::string regression_table(const Result& r, const TerminalOptions& o) {
  const bool resampled =
      std::any_of(r.metrics.begin(), r.metrics.end(), [](const auto& m) { return m.second.low; });
  const bool tested =
      std::any_of(r.metrics.begin(), r.metrics.end(), [](const auto& m) { return m.second.p_value; });
  const auto replicates = detail::setting<std::int64_t>(r, "bootstrap", 0);
  TextTable table({"metric", "value", detail::level_text(r) + " interval", tested ? "null mean" : "",
                   tested ? "p-value" : "", resampled ? "" : "what it is"});
  for (const std::size_t c : {1, 3, 4}) table.right(c);
  for (const auto& [key, m] : r.metrics) {
    std::string line;
    for (const MetricRow& row : kRegressionMetrics)
      if (row.key == key) line = spell(row.line, o.spelling);
    table.add({key, m.value ? error_text(*m.value) : "-",
               m.low && m.high ? "[" + error_bound(*m.low, detail::Round::down) + ", " +
                                     error_bound(*m.high, detail::Round::up) + "]"
                               : "",
               m.null_mean ? error_text(*m.null_mean) : "",
               m.p_value ? detail::p_cell(*m.p_value, replicates) : "", resampled ? "" : line});
  }
  return table.render(o.colour, o.width);
}

detail::SliceColumns slice_columns_of_regression(const Result& r) {
  detail::SliceColumns out{{}, "", [](double x) { return error_text(x); }};
  for (const auto& [key, m] : r.metrics)
    if (key == "mse" || key == "nll" || key == "zms" || key == "uce" || key == "coverage_90")
      out.keys.push_back(key);
  const bool zms = std::find(out.keys.begin(), out.keys.end(), "zms") != out.keys.end();
  if (!out.keys.empty()) out.first = zms ? "zms" : out.keys.front();
  return out;
}

std::string output_rows(const Result& r, const TerminalOptions& o) {
  constexpr std::size_t kOutputs = 20;
  const auto t =
      std::find_if(r.tables.begin(), r.tables.end(), [](const auto& x) { return x.first == "per_output"; });
  if (t == r.tables.end()) return "";
  const std::vector<std::string> wanted{"output", "mse", "nll", "zms", "coverage_90", "sharpness"};
  TextTable table(wanted);
  for (std::size_t c = 0; c < wanted.size(); ++c) table.right(c);
  for (std::size_t i = 0; i < std::min(t->second.rows.size(), kOutputs); ++i) {
    std::vector<std::string> cells;
    for (const std::string& name : wanted) {
      const auto at =
          std::find(t->second.columns.begin(), t->second.columns.end(), name) - t->second.columns.begin();
      const Value& v = t->second.rows[i].at(at);
      const double* x = std::get_if<double>(&v);
      const std::int64_t* k = std::get_if<std::int64_t>(&v);
      cells.push_back(x != nullptr ? error_text(*x) : k != nullptr ? std::to_string(*k) : "-");
    }
    table.add(std::move(cells));
  }
  return table.render(o.colour, o.width);
}

}  // namespace

std::string render_regression(const Result& r, const TerminalOptions& o) {
  const auto outputs = detail::setting<std::int64_t>(r, "outputs", 1);
  std::string title = fmt::format("{} {}, {} {}", thousands(r.items), r.items == 1 ? "item" : "items",
                                  outputs, outputs == 1 ? "output" : "outputs");
  std::string out = detail::opening(title, r, o) + regression_table(r, o);
  const auto section = [&](const char* name, const std::string& body) {
    if (!body.empty()) out += "\n" + detail::bold(name, o.colour) + "\n" + body;
  };
  section("In words", detail::paragraphs(regression_words(r), o));
  section("Not defined here", detail::undefined_keys(r.metrics, o));
  section("By output", output_rows(r, o));
  for (const auto& [name, table] : detail::slice_tables(r, slice_columns_of_regression(r), o))
    section(name.c_str(), table);
  section("Notes", detail::paragraphs(r.notes, o));
  section("Next", detail::next_lines(r, o));
  return out;
}

}  // namespace plumb
