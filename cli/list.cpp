#include "commands.hpp"
#include "console.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/terminal.hpp"

namespace plumb::cli {

int list_command(const Args& args) {
  Flags flags("list", "The metrics and calibrators there are, each with its one line.");
  bool json = false;
  flags.yes("--json", json, "as JSON on standard output");
  flags.examples("Examples:\n  plumb list\n  plumb list --json | jq '.metrics[].key'");
  if (!flags.parse(args)) return kDone;
  write_stdout(json ? render_list_json(metrics(), version())
                    : render_list(metrics(), {stdout_colour(), stdout_width(), true}));
  return kDone;
}

}  // namespace plumb::cli
