#include "plumb/evaluate/evaluate.hpp"

#include "calibrate.hpp"
#include "case_flags.hpp"
#include "commands.hpp"
#include "device.hpp"
#include "evaluate_flags.hpp"
#include "evaluate_votes.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/report/tripod.hpp"
#include "quantiles.hpp"
#include "regression_inputs.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kEvaluateExamples = R"(Examples:
  a model's softmax against one label per item
    plumb evaluate --probs probs.npy --labels labels.npy
  confidence intervals: 200 bootstrap replicates, patients as the unit
    plumb evaluate --probs probs.npy --labels labels.npy --groups items.csv:patient --bootstrap 200
  several raters: votes per class, or one column for each rater
    plumb evaluate --logits logits.npy --counts votes.npy
    plumb evaluate --probs probs.csv --ratings "votes.csv:rater_*" --classes benign,malignant
  an export of an annotation tool, one row per judgement, joined with the predictions by id
    plumb evaluate --probs "predictions.csv:p_*" --ids predictions.csv:id --annotations votes.csv:item,rater,label
  a column of P(class 1); results by site; JSON for another program
    plumb evaluate --probs cohort.csv:p --labels cohort.csv:y --by cohort.csv:site --json -
  a regression: means, variances, targets (plumb evaluate --mean --help lists its flags)
    plumb evaluate --mean mean.npy --variance variance.npy --targets y.npy
  segmentation: a manifest that names the probabilities and masks of each case (plumb evaluate --manifest x --help lists its flags)
    plumb evaluate --manifest cases.csv --bootstrap 200 --per-case cases-out.csv
  ordered classes (grades); votes taken two at a time; senior raters count twice
    plumb evaluate --probs probs.npy --ratings votes.csv:a,b,senior --ordered --orders 2
    plumb evaluate --probs probs.npy --ratings votes.csv:a,b,senior --rater-weights senior=2
  prediction sets: coverage of the votes (plumb evaluate --sets x --help lists its flags)
    plumb evaluate --sets sets.npy --counts votes.npy
  forecasts of quantiles (plumb evaluate --quantiles x --help lists its flags)
    plumb evaluate --quantiles "t.csv:q05,q50,q95" --quantile-levels 0.05,0.5,0.95 --targets t.csv:y
  shards
    plumb evaluate --probs "probs-*.npy" --labels "labels-*.npy"
  a gate in CI: exit code 3 when it fails
    plumb evaluate --probs probs.npy --labels labels.npy --bootstrap 200 --fail-if "verdict!=trustworthy" --quiet
    plumb evaluate --probs probs.npy --labels labels.npy --fail-if "ece>0.05" --fail-if "accuracy<0.9" --quiet
"plumb describe FILE" shows what a file contains; "plumb list" explains the metrics.)";

}  // namespace

int evaluate_command(const Args& args) {
  if (has_manifest_flags(args)) return evaluate_manifest_command(args);
  if (has_sets_flag(args)) return evaluate_sets_command(args);
  if (has_quantile_flags(args)) return evaluate_quantiles_command(args);
  if (has_regression_flags(args)) return evaluate_regression_command(args);
  Flags flags(
      "evaluate",
      "Can these probabilities be trusted? Calibration, sharpness and accuracy, with intervals.\n"
      "A FILE is .npy, .npz:array, .csv:column or .csv:a,b; several files or a quoted pattern are shards.");
  InputFlags input_flags;
  EvaluateFlags evaluate_flags;
  OutputFlags output_flags;
  std::string calibrator, notice, tripod, one_class;
  add_input_flags(flags, input_flags);
  flags.text("--calibrator", "FILE", calibrator,
             "model file from plumb calibrate fit, applied to the predictions first");
  add_one_class_flag(flags, one_class);
  add_evaluate_flags(flags, evaluate_flags);
  add_null_flag(flags, evaluate_flags);
  VoteFlags vote_flags;
  add_vote_analysis_flags(flags, vote_flags);
  DeviceFlags device_flags;
  add_device_flag(flags, device_flags);
  add_output_flags(flags, output_flags);
  bool ids_once = false;
  flags.toggle(
      "--check-ids", ids_once,
      "keep a hash of every id in the state, so that plumb merge refuses an item that is in two of them");
  flags.text("--tripod", "FILE", tripod, "the rows that TRIPOD+AI asks a paper to report: .csv or .html");
  add_later_flags(flags);
  flags.examples(kEvaluateExamples);
  if (!flags.parse(args)) return kDone;

  const bool tripod_page = tripod.ends_with(".html");
  if (!tripod.empty() && !tripod_page && !tripod.ends_with(".csv"))
    throw InputError("--tripod writes .csv or .html, not " + tripod);
  EvaluateOptions options = checked_options(evaluate_flags);
  VoteAnalyses analyses(vote_flags, options, output_flags.save_state);
  Output output(output_flags);
  output.check_reach(options.bootstrap);
  Inputs inputs = load_inputs(input_flags, options.threads);
  if (!calibrator.empty()) notice = apply_calibrator(calibrator, options.threads, inputs);
  take_one_class(one_class, inputs.items);
  output.check_not_over(inputs.paths);
  check_outputs(
      {{"--tripod", tripod}, {"--json", output_flags.json}, {"--save-state", output_flags.save_state}},
      inputs.paths);
  check_state_weights(inputs, output_flags.save_state);
  if (ids_once && (inputs.ids.empty() || output_flags.save_state.empty()))
    throw InputError("--check-ids needs --ids, which names the items, and --save-state");
  output.open();
  std::optional<AtomicFile> tripod_file;
  if (!tripod.empty()) tripod_file.emplace(tripod);
  if (output.pages().wanted()) options.sample_items = kSampleItems;
  const bool asked = !options.metrics.empty();
  analyses.weigh(inputs, options);
  Result result;
  EvaluateState state;
  const bool save_state = !output_flags.save_state.empty();
  {
    ProgressBar bar(!output_flags.quiet);
    options.progress = bar.callback();
    EvaluateState* const wanted = save_state ? &state : nullptr;
    result = device_flags.cuda() ? evaluate_on_device(inputs.items, options, wanted)
                                 : evaluate(inputs.items, options, wanted, inputs.ids);
  }
  if (ids_once) check_ids(inputs.ids, state);
  if (save_state && options.bootstrap > 0) {
    ProgressBar bar(!output_flags.quiet);
    options.progress = bar.callback();
    add_replicates(inputs.items, inputs.ids, options, state);
  }
  options.progress = {};
  analyses.run(inputs.items, options, result, save_state ? &state : nullptr);
  result.argv = argv_of("evaluate", args);
  add_input_record(inputs, result);
  if (!calibrator.empty()) result.settings.emplace_back("calibrator", calibrator);
  if (!one_class.empty()) result.settings.emplace_back("one_vs_rest", one_class);
  if (!notice.empty()) result.notes.push_back(notice);
  output.pages().add_checksums(result.inputs, inputs.paths);
  if (tripod_file) {
    tripod_file->write(tripod_page ? tripod_html(result) : tripod_csv(result));
    tripod_file->settle();
  }
  const int code = output.finish(result, save_state ? serialize(state) : "", asked);
  if (tripod_file) tripod_file->commit();
  if (!output_flags.quiet && output_flags.json != "-") write_stdout(analyses.text());
  return code;
}

}  // namespace plumb::cli
