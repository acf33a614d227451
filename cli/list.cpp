#include "commands.hpp"
#include "console.hpp"
#include "plumb/report/calibrate.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb::cli {

int list_command(const Args& args) {
  Flags flags("list", "The metrics and calibrators there are, each with its one line.");
  bool json = false;
  flags.yes("--json", json, "as JSON on standard output");
  flags.examples("Examples:\n  plumb list\n  plumb list --json | jq '.metrics[].key'");
  if (!flags.parse(args)) return kDone;
  const TerminalOptions look{stdout_colour(), stdout_width(), true};
  write_stdout(json ? render_list_json(metrics(), version(), calibrators())
                    : render_list(metrics(), look) + "\n" + render_calibrators(calibrators(), look));
  return kDone;
}

}  // namespace plumb::cli
