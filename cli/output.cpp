#include "output.hpp"

#include <filesystem>

#include "commands.hpp"
#include "plumb/data/check.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/terminal.hpp"
#include "shell/console.hpp"

namespace plumb::cli {

TerminalOptions stdout_look(bool all_metrics) {
  return {stdout_colour(), stdout_width(), all_metrics, kFlag};
}

void add_output_flags(Flags& flags, OutputFlags& out) {
  flags.heading("What comes out");
  flags.text("--json", "FILE", out.json, "the whole result as JSON; - for standard output");
  add_page_flags(flags, out.pages);
  flags.text("--save-state", "FILE", out.save_state, "the mergeable part, for \"plumb merge\"");
  flags.repeated("--fail-if", "\"ece>0.05\"", out.fail_if, "exit with code 3 when this holds; repeatable");
  flags.yes("--quiet", out.quiet, "no table, no progress");
}

Output::Output(const OutputFlags& flags)
    : flags_(flags), gates_(parse_gates(flags.fail_if)), pages_(flags.pages) {
  check_metrics_of(gates_);
  if (flags.save_state == "-")
    throw InputError("--save-state writes a binary file; give it a name instead of -");
  if (!flags.json.empty() && flags.json == flags.pages.report)
    throw InputError("--json and --report name the same file " + flags.json + "; give them different names");
  check_distinct(
      {{"--json", flags.json}, {"--save-state", flags.save_state}, {"--report", flags.pages.report}});
}

void Output::check_not_over(const std::vector<std::string>& inputs) const {
  pages_.check_not_over(inputs);
  for (const auto& [flag, path] : {std::pair{"--json", flags_.json}, {"--save-state", flags_.save_state}}) {
    for (const std::string& input : inputs) {
      std::error_code ignored;
      if (!path.empty() && std::filesystem::equivalent(path, input, ignored)) {
        throw InputError(std::string(flag) + " would write over the input " + input +
                         "; give it another name");
      }
    }
  }
}

void Output::open() {
  if (!flags_.json.empty() && flags_.json != "-") json_.emplace(flags_.json);
  if (!flags_.save_state.empty()) state_.emplace(flags_.save_state);
  pages_.open();
}

int Output::finish(const Result& result, const std::string& state, bool all_metrics) {
  const std::vector<std::string> held = gates_that_hold(gates_, result.metrics);
  if (json_) json_->write(render_json(result));
  if (state_) state_->write(state);
  if (json_) json_->settle();
  if (state_) state_->settle();
  if (json_) json_->commit();
  if (state_) state_->commit();
  pages_.finish(result);
  if (flags_.json == "-") {
    write_stdout(render_json(result));
  } else if (!flags_.quiet) {
    write_stdout(render_terminal(result, stdout_look(all_metrics)));
  }
  for (const std::string& sentence : held) say(sentence);
  return held.empty() ? kDone : kGateHeld;
}

}  // namespace plumb::cli
