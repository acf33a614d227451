#include "commands.hpp"
#include "console.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/report/calibrate.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb::cli {
namespace {

std::string regression_methods() {
  std::string out = "\nCalibrators of variances (plumb calibrate fit --mean ...):\n";
  for (const RegressionCalibratorRow& row : regression_calibrators())
    out += "  " + std::string(row.method) + std::string(20 - row.method.size(), ' ') + std::string(row.line) +
           "\n";
  return out;
}

}  // namespace

int list_command(const Args& args) {
  Flags flags("list", "The metrics and calibrators there are, each with its one line.");
  bool json = false;
  flags.yes("--json", json, "as JSON on standard output");
  flags.examples("Examples:\n  plumb list\n  plumb list --json | jq '.metrics[].key'");
  if (!flags.parse(args)) return kDone;
  const TerminalOptions look{stdout_colour(), stdout_width(), true};
  write_stdout(json ? render_list_json(metrics(), version(), calibrators())
                    : render_list(metrics(), look) + "\n" + render_calibrators(calibrators(), look) + "\n" +
                          render_list(regression_metrics(), look) + regression_methods());
  return kDone;
}

}  // namespace plumb::cli
