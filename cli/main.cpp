// plumb: picks the subcommand.
#include <algorithm>
#include <string>

#include "commands.hpp"
#include "plumb/data/check.hpp"
#include "plumb/result.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr Command kCommands[] = {
    {"evaluate", "can these probabilities be trusted?", evaluate_command},
    {"audit", "does it hold in every subgroup? each slice against the rest", audit_command},
    {"compare", "two or more models on the same items", compare_command},
    {"uncertainty", "which uncertainty measure detects wrong answers", uncertainty_command},
    {"raters", "accuracy, bias and agreement of the raters, and their consensus", raters_command},
    {"calibrate", "calibrates probabilities: fit, apply, show, export", calibrate_command},
    {"stability", "how estimates vary as the test set shrinks", stability_command},
    {"report", "writes saved results as one HTML page", report_command},
    {"train", "trains a network for calibrated probabilities", train_command},
    {"predict", "stochastic predictions of a trained network", predict_command},
    {"merge", "merges the states saved for shards", merge_command},
    {"describe", "shows what a file contains and how it could be used", describe_command},
    {"list", "lists the metrics and calibrators", list_command},
    {"reproduce", "repeats the experiments of the papers, with a verdict for each claim", reproduce_command},
    {"demo", "writes simulated data to try Plumb on", demo_command},
    {"completion", "completion of commands and flags for bash, zsh or fish", completion_command},
    {"manual", "the manual page of a command", manual_command},
};

std::string help() {
  std::string text = "plumb " + std::string(version()) +
                     " tells you whether a model's probabilities can be trusted.\n\n"
                     "Try it on simulated data:\n"
                     "  plumb demo --out demo\n"
                     "  plumb evaluate --probs demo/test/probs.npy --counts demo/test/counts.npy\n\n"
                     "On your own files (.npy, .npz, .csv, .tsv):\n"
                     "  plumb describe probs.npy\n"
                     "  plumb evaluate --probs probs.npy --labels labels.npy --bootstrap 200\n"
                     "  plumb evaluate --probs probs.npy --labels labels.npy --fail-if \"ece>0.05\"\n\n"
                     "Commands:\n";
  for (const Command& c : kCommands) {
    const std::string name = c.name;
    text += "  " + name + std::string(12 - name.size(), ' ') + c.line + "\n";
  }
  return text + "\n\"plumb COMMAND --help\" lists the flags of a command, with examples.\n";
}

int dispatch(const Args& args) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h" || (args[0] == "help" && args.size() == 1)) {
    write_stdout(help());
    return kDone;
  }
  if (args[0] == "--version") {
    write_stdout("plumb " + std::string(version()) + "\n");
    return kDone;
  }
  if (args[0] == "help") return dispatch({args[1], "--help"});
  const auto* command = std::find_if(std::begin(kCommands), std::end(kCommands),
                                     [&](const Command& c) { return args[0] == c.name; });
  if (command == std::end(kCommands)) {
    Args known;
    for (const Command& c : kCommands) known.emplace_back(c.name);
    const std::string kind = args[0].starts_with('-') ? "flag" : "command";
    throw InputError("there is no " + kind + " \"" + args[0] + "\"" + did_you_mean(args[0], known) +
                     "; \"plumb\" alone lists the commands");
  }
  return command->run({args.begin() + 1, args.end()});
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace plumb::cli

int main(int argc, char** argv) {
  namespace cli = plumb::cli;
  cli::end_on_signal();
  return cli::run_program(
      [&] {
        return cli::dispatch({argv + std::min(argc, 1), argv + argc});
      },
      "not enough memory for this input; split it into shards and use --save-state and \"plumb merge\"");
}
