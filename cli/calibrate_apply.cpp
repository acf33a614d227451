// `plumb calibrate apply` for class probabilities.
#include <functional>

#include "calibrate.hpp"
#include "case_flags.hpp"
#include "multigroup.hpp"
#include "next_command.hpp"
#include "pages.hpp"
#include "plumb/calibrate/multigroup.hpp"
#include "plumb/calibrate/sets.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/model/apply_files.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {

int calibrate_apply(const Args& args) {
  if (has_manifest_flags(args)) return calibrate_apply_manifest(args);
  Flags flags(
      "calibrate apply",
      "Applies a model to predictions: calibrated probabilities as .npy, .csv or .parquet (alpha_0 when the last step is alpha).");
  InputFlags input_flags;
  Args model_given, features;
  std::string out, out_probs, disagreement, level;
  std::int64_t threads = 0;
  bool quiet = false;
  flags.positional("model", model_given, "model file from plumb calibrate fit");
  add_prediction_flags(flags, input_flags);
  flags.files("--features", "FILE", features, "N x F features, if the alpha step was fitted with features");
  flags.files("--ids", "FILE", input_flags.ids, "N item names, for a column id of .csv and .parquet outputs");
  flags.files(
      "--by", "FILE", input_flags.by,
      "N slice names or numbers, for models that repair groups and for sets with thresholds by slice; repeatable");
  flags.heading("Output");
  flags.text(
      "-o,--out", "FILE", out,
      "probabilities; alpha_0 (for evaluate --concentration) or sets (for evaluate --sets) if the last step is one of these");
  flags.text("--out-probs", "FILE", out_probs, "the probabilities, when the last step is alpha");
  flags.text("--level", "X", level, "which level's sets, if the last step is sets");
  flags.text("--disagreement", "FILE", disagreement, "probability that two raters disagree, for each item");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.toggle("--quiet", quiet, "print nothing");
  flags.examples("Example:\n  plumb calibrate apply model.json --logits test.npy -o calibrated.npy");
  if (!flags.parse(args)) return kDone;
  const std::string path = one_model(model_given, "plumb calibrate apply");
  if (out.empty()) throw InputError("no output file given; name it with -o calibrated.npy");
  check_threads(threads);
  const CalibrationModel model = load_model(path);
  if (is_multigroup(model)) {
    if (!features.empty() || !input_flags.ids.empty() || !out_probs.empty() || !disagreement.empty() ||
        !level.empty())
      throw InputError(path + " repairs named groups: besides the predictions it takes only --by and -o");
    return apply_multigroup_to_file({model, path, input_flags, out, threads, quiet});
  }
  if (gives_sets(model)) return apply_sets_to_file({model, input_flags, out, level, threads, quiet});
  if (!input_flags.by.empty())
    throw InputError("--by is for models that repair groups or that end with sets by slice; leave it out");
  if (!level.empty()) throw InputError("--level is for models that end with sets; leave it out");
  const bool alpha = model.steps.back().method == "alpha";
  if (!out_probs.empty() && !alpha)
    throw InputError(
        "--out-probs is for models that end with alpha; for this model -o writes the probabilities");

  ApplyOptions options;
  options.threads = narrow<int>(threads);
  Inputs inputs = load_predictions(input_flags, options.threads);
  options.features = Loader(options.threads, inputs).rows("--features", features);
  inputs.ids = Loader(options.threads, inputs)
                   .ids(input_flags.ids, inputs.items.predictions.sources().front().name(),
                        inputs.items.predictions.items());
  std::function<std::string(std::int64_t)> id;
  if (!inputs.ids.empty()) id = [&](std::int64_t row) { return std::string(inputs.ids.name(row)); };
  std::vector<std::string> used = inputs.paths;
  used.push_back(path);
  const std::vector<OutputPath> outputs = {
      {"-o", out}, {"--out-probs", out_probs}, {"--disagreement", disagreement}};
  for (const OutputPath& o : outputs) check_numbers_path(o.flag, o.path);
  check_outputs(outputs, used);
  {
    ProgressBar bar(!quiet);
    options.progress = bar.callback();
    apply_to_files(model, inputs.items.predictions, options,
                   {alpha ? out_probs : out, alpha ? out : "", disagreement,
                    header_classes(inputs.items.predictions.sources().front()), id});
  }
  const std::string notice = fitted_on_notice(model, inputs);
  if (quiet) return kDone;
  if (!notice.empty()) say(notice);
  write_stdout(std::string("Wrote ") + (alpha ? "alpha_0" : "calibrated probabilities") + " of " +
               counted(inputs.items.predictions.items(), "item") + " to " + out + "\n");
  if (!out_probs.empty()) write_stdout("Wrote the probabilities to " + out_probs + "\n");
  if (!disagreement.empty())
    write_stdout("Wrote the probability that two raters disagree to " + disagreement + "\n");
  const bool one = calibrated_shape(inputs.items.predictions).size() == 1;
  const std::string columns = inputs.ids.empty() ? out : out + (one ? ":p" : ":p_*");
  if (!alpha)
    write_stdout(next_command(
        "Evaluate them, with the labels of the same items in place of LABELS:",
        {"plumb evaluate", "--probs " + shell_word(columns), "--labels LABELS", "--bootstrap 200"}));
  return kDone;
}

}  // namespace plumb::cli
