#include "commands.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "output.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/calibrate/regression/cqr.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/regression/evaluate.hpp"
#include "plumb/regression/shift.hpp"
#include "plumb/regression/state.hpp"
#include "regression_inputs.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kRegressionExamples = R"(Examples:
  means and variances against targets, 200 bootstrap replicates
    plumb evaluate --mean mean.npy --variance variance.npy --targets y.npy --bootstrap 200
  the variance in its parts, from one table
    plumb evaluate --mean t.csv:mu --aleatoric t.csv:data --epistemic t.csv:model --targets t.csv:y
  25 passes with dropout
    plumb evaluate --mean-samples means.npy --variance-samples variances.npy --targets y.npy
  errors and standard deviations only
    plumb evaluate --errors t.csv:E --std t.csv:uE
  is this set like the one the model was tested on?
    plumb evaluate --mean m.npy --variance v.npy --targets y.npy --reference test_variance.npy)";

double parse_bound(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError("--range takes two numbers low,high, not \"" + text + "\"");
  return x;
}

int integer_from_0(const char* flag, std::int64_t value) {
  if (value > std::numeric_limits<int>::max() || value < 0)
    throw InputError(std::string(flag) + " is " + std::to_string(value) +
                     "; it must be a whole number from 0 to 2147483647");
  return narrow<int>(value);
}

/// Calibrated variances in place of the given ones; a warning where the model was fitted on them.
std::string apply_variance_calibrator(const std::string& path, RegressionInputs& inputs) {
  const CalibrationModel model = load_model(path);
  if (is_cqr(model))
    throw InputError(path + " calibrates quantiles; apply it with plumb calibrate apply --quantiles");
  check_fits(model, inputs.items);
  if (!find_regression_calibrator(model.steps.front().method)->variances)
    throw InputError(path + " is a conformal model, which gives intervals and no variances to evaluate");
  std::string notice;
  for (std::size_t i = 0; i < inputs.paths.size(); ++i)
    if (const std::string& flag = inputs.infos[i].flag;
        flag == "--variance" || flag == "--std" || flag == "--aleatoric" || flag == "--variance-samples")
      if (std::find(model.fitted_on.begin(), model.fitted_on.end(), sha256_file(inputs.paths[i])) !=
          model.fitted_on.end())
        notice =
            model.name +
            " was fitted on these predictions, so its scores on them are optimistic; use other data, or plumb calibrate fit --cross-fit";
  inputs.items = apply_model(model, inputs.items);
  inputs.paths.push_back(path);
  inputs.infos.push_back({"--calibrator", path, {}, "model", ""});
  return notice;
}

}  // namespace

int evaluate_regression_command(const Args& args) {
  Flags flags(
      "evaluate",
      "Can these uncertainties be trusted? A regression's errors against its predicted variances.\n"
      "A FILE is .npy, .npz:array, .csv:column or .csv:a,b; several files or a quoted pattern are shards.");
  RegressionFlags inputs_given;
  RegressionOptions options;
  OutputFlags output_flags;
  Args range, reference;
  std::string calibrator;
  std::int64_t bins = options.bins, bootstrap = options.bootstrap, threads = options.threads;
  add_regression_flags(flags, inputs_given, true);
  flags.text("--calibrator", "FILE", calibrator,
             "model file from plumb calibrate fit, applied to the variances first");
  flags.files("--reference", "FILE", reference,
              "variances of a reference set (standard deviations with --std)");
  flags.heading("Computation");
  flags.list("--metrics", "k,k|all", options.metrics, "regression keys from \"plumb list\" [all]");
  flags.integer("--bins", bins, "bins of the variance");
  flags.list("--range", "lo,hi", range, "range of the bins of uce [smallest to largest variance]");
  flags.number("--clip", options.clip, "raise variances below X to X");
  flags.integer("--bootstrap", bootstrap, "replicates for intervals; 0: none");
  flags.number("--level", options.level, "confidence level of the intervals");
  flags.number("--tolerance", options.tolerance,
               "factor by which the standard deviations may be too large or too small");
  flags.seed("--seed", options.seed, "seed of the random numbers");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  add_output_flags(flags, output_flags);
  flags.examples(kRegressionExamples);
  const bool help =
      std::any_of(args.begin(), args.end(), [](const auto& a) { return a == "--help" || a == "-h"; });
  if (!flags.parse(help ? Args{"--help"} : args)) return kDone;

  check_bins(bins);
  check_threads(threads);
  options.bins = integer_from_0("--bins", bins);
  options.bootstrap = integer_from_0("--bootstrap", bootstrap);
  options.threads = integer_from_0("--threads", threads);
  if (!range.empty()) {
    if (range.size() != 2) throw InputError("--range takes two numbers low,high");
    options.range = RegressionRange{parse_bound(range[0]), parse_bound(range[1])};
  }
  Output output(output_flags);
  RegressionInputs inputs = load_regression(inputs_given, true, options.threads);
  const bool in_std = inputs.items.total_is_std;  // a calibrator leaves variances
  std::string notice;
  if (!calibrator.empty()) notice = apply_variance_calibrator(calibrator, inputs);
  RegressionItems other;
  if (!reference.empty()) other = load_reference(reference, in_std, options.threads, inputs);
  output.check_not_over(inputs.paths);
  check_state_weights(inputs, output_flags.save_state);
  output.open();
  Result result;
  RegressionState state;
  const bool save_state = !output_flags.save_state.empty();
  {
    ProgressBar bar(!output_flags.quiet);
    options.progress = bar.callback();
    result = evaluate_regression(inputs.items, options, save_state ? &state : nullptr);
  }
  if (!reference.empty()) {
    add_shift(compare_uncertainty(item_variances(inputs.items, options.clip, options.threads),
                                  item_variances(other, options.clip, options.threads), kShiftBins,
                                  options.threads),
              result);
  }
  result.argv = argv_of("evaluate", args);
  result.inputs = inputs.infos;
  if (!calibrator.empty()) result.settings.emplace_back("calibrator", calibrator);
  if (!notice.empty()) result.notes.push_back(notice);
  output.pages().add_checksums(result.inputs, inputs.paths);
  return output.finish(result, save_state ? serialize(state) : "", !options.metrics.empty());
}

}  // namespace plumb::cli
