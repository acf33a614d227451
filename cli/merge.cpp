#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "evaluate_votes.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/regression/state.hpp"
#include "shell/console.hpp"
#include "state_files.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kMergeExamples = R"(Examples:
  plumb evaluate --probs probs-1.npy --labels labels-1.npy --save-state 1.plumb
  plumb evaluate --probs probs-2.npy --labels labels-2.npy --save-state 2.plumb
  plumb merge 1.plumb 2.plumb --json result.json
Values have the same bits as from one run over all the data, up to 65,536 distinct forecasts; above that
metrics that need sorted forecasts (auroc, ks, ece_mass, kernels) are computed on a fine grid of log-odds, and
the result states their error bounds. What needs all the data at once is null, with the reason.
With --bootstrap and --groups or --ids, states keep replicates, and the merged result has intervals, p-values and a
verdict, the same bits for any split.)";

}  // namespace

int merge_command(const Args& args) {
  Flags flags("merge", "Merges the states that \"plumb evaluate --save-state\" wrote for each shard.");
  Args specs, keys, thresholds;
  OutputFlags output_flags;
  flags.positional("STATE", specs, "state files, or quoted patterns");
  flags.list("--metrics", "k,k|all", keys, "keys from \"plumb list\" [as evaluate]");
  EvaluateOptions defaults;
  flags.number("--level", defaults.level, "confidence level of the intervals, where states have replicates");
  flags.number("--tolerance", defaults.tolerance, "calibration error (ECE) that the verdict accepts");
  add_thresholds_flag(flags, thresholds);
  add_output_flags(flags, output_flags);
  flags.examples(kMergeExamples);
  if (!flags.parse(args)) return kDone;
  check_level(defaults.level);
  defaults.thresholds = thresholds_of(thresholds);
  if (!(defaults.tolerance > 0 && defaults.tolerance < 1))
    throw InputError("--tolerance must be between 0 and 1, not " + show(defaults.tolerance));
  if (specs.empty())
    throw InputError("no state file given; name the files that \"plumb evaluate --save-state FILE\" wrote");

  Output output(output_flags);
  const std::vector<std::string> paths = state_paths(specs);
  output.check_not_over(paths);

  Result result;
  std::string bytes, votes_text;
  const bool regression = read_state(
      paths.front(), [](std::string_view head, const std::string&) { return is_regression_state(head); });
  if (regression) {
    const RegressionState state = merged_states(paths, deserialize_regression_state);
    if (!thresholds.empty())
      throw InputError(
          "--thresholds is about probabilities of two classes, and these are states of a regression");
    RegressionOptions options;
    options.metrics = keys;
    result = finish(state, options);
    bytes = serialize(state);
  } else {
    const EvaluateState state = merged_states(paths, deserialize_state);
    EvaluateOptions options = defaults;
    options.metrics = keys;
    result = finish(state, options);
    votes_text = add_vote_sums(state, result);
    bytes = serialize(state);
  }
  output.open();
  result.argv = argv_of("merge", args);
  for (const std::string& path : paths) result.inputs.push_back({"STATE", path, {}, "state", ""});
  output.pages().add_checksums(result.inputs, paths);
  const int code = output.finish(result, bytes, !keys.empty());
  if (!output_flags.quiet && output_flags.json != "-" && !votes_text.empty()) write_stdout(votes_text);
  return code;
}

}  // namespace plumb::cli
