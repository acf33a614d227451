#include <algorithm>

#include "commands.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/report/calibrate.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/terminal.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr int kPipeWidth = 80;  ///< of a file or a filter, unless COLUMNS says otherwise

std::string regression_methods(std::span<const RegressionCalibratorRow> rows, const TerminalOptions& look) {
  if (rows.empty()) return "";
  std::vector<std::pair<std::string, std::string>> lines;
  for (const RegressionCalibratorRow& row : rows) lines.emplace_back(row.method, row.line);
  return "Calibrators of variances (plumb calibrate fit --mean ...):\n" + render_methods(lines, look);
}

/// The rows whose name holds one of the words; all of them without words.
template <class Row, class Name>
std::vector<Row> matching(std::span<const Row> rows, const Args& words, Name name) {
  std::vector<Row> out;
  for (const Row& row : rows) {
    const bool wanted = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return name(row).find(word) != std::string_view::npos;
    });
    if (words.empty() || wanted) out.push_back(row);
  }
  return out;
}

}  // namespace

int list_command(const Args& args) {
  Flags flags("list", "Lists the metrics and calibrators, one line each.");
  bool json = false, cost = false;
  Args words;
  flags.positional("WORD", words, "only those whose name contains this word");
  flags.toggle("--cost", cost, "the cost of each metric in nanoseconds per row");
  flags.toggle("--json", json, "as JSON on standard output");
  flags.examples("Examples:\n  plumb list\n  plumb list ece\n  plumb list --json | jq '.metrics[].key'");
  if (!flags.parse(args)) return kDone;
  if (json) {
    if (!words.empty())
      throw InputError("plumb list --json writes the whole list; leave out \"" + words[0] + "\"");
    write_stdout(render_list_json(metrics(), version(), calibrators()));
    return kDone;
  }
  const TerminalOptions look{stdout_colour(), stdout_width(kPipeWidth), true, kFlag};
  const auto key = [](const MetricRow& row) {
    return std::string(row.key) + " " + std::string(alias_of(row.key));
  };
  const auto method = [](const auto& row) { return row.method; };
  std::string text;
  for (const std::string& part :
       {render_list(matching(metrics(), words, key), look, cost),
        render_calibrators(matching(calibrators(), words, method), look),
        render_list(matching(regression_metrics(), words, key), look),
        regression_methods(matching(regression_calibrators(), words, method), look)})
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  if (text.empty())
    throw InputError("no metric or calibrator has \"" + words[0] +
                     "\" in its name; \"plumb list\" shows them all");
  write_stdout(text);
  return kDone;
}

}  // namespace plumb::cli
