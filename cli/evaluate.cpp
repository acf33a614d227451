#include "plumb/evaluate.hpp"

#include <limits>

#include "commands.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  a model's softmax against one label per item
    plumb evaluate --probs probs.npy --labels labels.npy
  how sure is that? 200 bootstrap replicates, patients as the unit
    plumb evaluate --probs probs.npy --labels labels.npy --groups items.csv:patient --bootstrap 200
  several raters: votes per class, or one column for each rater
    plumb evaluate --logits logits.npy --counts votes.npy
    plumb evaluate --probs probs.csv --ratings "votes.csv:rater_*" --classes benign,malignant
  a column of P(class 1); results by site; JSON for another program
    plumb evaluate --probs cohort.csv:p --labels cohort.csv:y --by cohort.csv:site --json -
  shards
    plumb evaluate --probs "probs-*.npy" --labels "labels-*.npy"
  a gate in CI: exit code 3 when it holds
    plumb evaluate --probs probs.npy --labels labels.npy --fail-if "ece>0.05" --fail-if "accuracy<0.9" --quiet
"plumb describe FILE" says what a file holds; "plumb list" explains the metrics.)";

constexpr const char* kRegression =
    "regression inputs are planned and not yet in this version; plumb evaluate scores class probabilities "
    "(--probs, --logits)";

struct EvaluateFlags {
  EvaluateOptions options;
  std::int64_t bins = options.bins, bootstrap = options.bootstrap, threads = options.threads;
  std::string binning = options.binning == Binning::width ? "width" : "mass";
};

void add_option_flags(Flags& flags, EvaluateFlags& f) {
  flags.heading("How it is computed");
  flags.list("--metrics", "k,k|all", f.options.metrics,
             "keys of \"plumb list\" [all that need no pairs of items]");
  flags.whole("--bins", f.bins, "cells of the reliability table");
  flags.text("--binning", "width|mass", f.binning,
             "cells of equal width or of equal mass [" + f.binning + "]");
  flags.whole("--bootstrap", f.bootstrap, "replicates for intervals and p-values; 0: none");
  flags.number("--level", f.options.level, "of the intervals");
  flags.number("--clip", f.options.clip, "clip probabilities to [X, 1-X] in log-loss");
  flags.seed("--seed", f.options.seed, "of the random numbers");
  flags.whole("--threads", f.threads, "0: all cores; never changes a number");
}

void add_later_flags(Flags& flags) {
  for (const char* flag : {"--mean", "--variance", "--std", "--targets", "--aleatoric", "--epistemic",
                           "--errors", "--mean-samples", "--variance-samples"}) {
    flags.later(flag, std::string(flag) + ": " + kRegression);
  }
  flags.later("--report", "--report: the HTML report is planned and not yet in this version; use --json");
  flags.later("--concentration",
              "--concentration: disagreement forecasts are planned and not yet in this version");
  flags.later("--reference",
              "--reference: comparison with a reference set is planned and not yet in this version");
  flags.later("--manifest",
              "--manifest: manifests are planned and not yet in this version; give several files to a flag");
}

int to_int(const std::string& flag, std::int64_t value) {
  constexpr std::int64_t kLimit = std::numeric_limits<int>::max();
  if (value > kLimit || value < -kLimit)
    throw InputError(flag + " " + std::to_string(value) + " is beyond any sensible number");
  return static_cast<int>(value);
}

EvaluateOptions checked(const EvaluateFlags& f) {
  EvaluateOptions o = f.options;
  check_bins(f.bins);
  check_threads(f.threads);
  check_level(o.level);
  if (f.binning != "width" && f.binning != "mass") {
    throw InputError("--binning is width or mass, not \"" + f.binning + "\"");
  }
  o.bins = to_int("--bins", f.bins);
  o.threads = to_int("--threads", f.threads);
  o.bootstrap = to_int("--bootstrap", f.bootstrap);
  o.binning = f.binning == "width" ? Binning::width : Binning::mass;
  return o;
}

}  // namespace

int evaluate_command(const Args& args) {
  Flags flags(
      "evaluate",
      "Can these probabilities be trusted? Calibration, sharpness and accuracy, with intervals.\n"
      "A FILE is .npy, .npz:array, .csv:column or .csv:a,b; several files or a quoted pattern are shards.");
  InputFlags input_flags;
  EvaluateFlags evaluate_flags;
  OutputFlags output_flags;
  add_input_flags(flags, input_flags);
  add_option_flags(flags, evaluate_flags);
  add_output_flags(flags, output_flags);
  add_later_flags(flags);
  flags.examples(kExamples);
  if (!flags.parse(args)) return kDone;

  EvaluateOptions options = checked(evaluate_flags);
  Output output(output_flags);
  const Inputs inputs = load_inputs(input_flags, options.threads);
  output.check_not_over(inputs.paths);
  output.open();
  Result result;
  {
    ProgressBar bar(!output_flags.quiet);
    options.progress = bar.callback();
    result = evaluate(inputs.items, options);
  }
  std::optional<EvaluateState> state;
  if (!output_flags.save_state.empty()) state = evaluate_state(inputs.items, options);
  result.argv = {"plumb", "evaluate"};
  result.argv.insert(result.argv.end(), args.begin(), args.end());
  result.inputs = inputs.infos;
  return output.finish(result, state, !options.metrics.empty());
}

}  // namespace plumb::cli
