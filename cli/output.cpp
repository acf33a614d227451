#include "output.hpp"

#include "plumb/data/check.hpp"
#include "plumb/report/json.hpp"
#include "shell/console.hpp"
#include "shell/program.hpp"

namespace plumb::cli {
namespace {

std::int64_t replicates_of(const Result& result) {
  for (const auto& [key, value] : result.settings)
    if (const auto* n = std::get_if<std::int64_t>(&value); key == "bootstrap" && n != nullptr) return *n;
  return 0;
}

}  // namespace

TerminalOptions stdout_options(bool all_metrics) {
  return {stdout_colour(), stdout_width(), all_metrics, kFlag};
}

Args argv_of(const std::string& command, const Args& args) {
  Args out{"plumb", command};
  out.insert(out.end(), args.begin(), args.end());
  return out;
}

Result result_of(const std::string& command, const Args& args) {
  Result r;
  r.version = version();
  r.command = command;
  r.argv = argv_of(command, args);
  return r;
}

void print_result(const Result& result, const std::string& json, bool quiet,
                  const std::function<std::string()>& table) {
  if (json == "-") {
    write_stdout(render_json(result), Text::data);
  } else if (!quiet) {
    write_stdout(table());
  }
}

int exit_code(const std::vector<std::string>& held) {
  for (const std::string& sentence : held) say(sentence);
  return held.empty() ? kDone : kGateFailed;
}

void add_output_flags(Flags& flags, OutputFlags& out) {
  flags.heading("Output");
  flags.text("--json", "FILE", out.json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, out.pages);
  flags.text("--name", "NAME", out.name, "name of the model in results and reports");
  flags.text("--title", "TEXT", out.pages.title, "title of the page");
  flags.text("--save-state", "FILE", out.save_state, "write the mergeable sums, for \"plumb merge\"");
  flags.repeated("--fail-if", "\"ece>0.05\"", out.fail_if,
                 "exit with code 3 if this holds; also ece.high>0.05, verdict!=trustworthy; repeatable");
  flags.toggle("--quiet", out.quiet, "print no table and no progress");
}

Output::Output(const OutputFlags& flags)
    : flags_(flags), gates_(parse_gates(flags.fail_if)), pages_(flags.pages) {
  check_metrics_of(gates_);
  if (flags.save_state == "-")
    throw InputError("--save-state writes a binary file; give it a name instead of -");
  check_not_over({});
}

void Output::check_not_over(const std::vector<std::string>& inputs) const {
  check_outputs(pages_.with_outputs({{"--json", flags_.json}, {"--save-state", flags_.save_state}}), inputs);
}

void Output::open() {
  if (!flags_.json.empty() && flags_.json != "-") json_.emplace(flags_.json);
  if (!flags_.save_state.empty()) state_.emplace(flags_.save_state);
  pages_.open();
}

void Output::check_reach(std::int64_t replicates) const { cli::check_reach(gates_, replicates); }

int Output::finish(Result result, const std::string& state, bool all_metrics) {
  if (!flags_.name.empty())
    result.sections.insert(result.sections.begin(), {"name", Tree(Value(flags_.name))});
  const std::vector<std::string> held = gates_that_hold(
      gates_, values_for_gates(result),
      {.judged = &result.verdict, .replicates = replicates_of(result), .merged = result.command == "merge"});
  if (json_) json_->write(render_json(result));
  if (state_) state_->write(state);
  if (json_) json_->settle();
  if (state_) state_->settle();
  pages_.finish(result);  // a figure that cannot be drawn leaves no other output either
  if (json_) json_->commit();
  if (state_) state_->commit();
  print_result(result, flags_.json, flags_.quiet,
               [&] { return render_terminal(result, stdout_options(all_metrics)); });
  if (!flags_.pages.report.empty() && !flags_.quiet) say("wrote the report to " + flags_.pages.report);
  return exit_code(held);
}

}  // namespace plumb::cli
