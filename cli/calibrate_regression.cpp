#include "commands.hpp"

#include <algorithm>
#include <sstream>

#include "calibrate.hpp"
#include "pages.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/calibrate/regression/cqr.hpp"
#include "plumb/calibrate/regression/cross_fit.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/model/apply_files.hpp"
#include "plumb/model/fit_scores.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/calibrate.hpp"
#include "regression_inputs.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kRegressionFitExamples = R"(Examples:
  one factor on the standard deviation
    plumb calibrate fit --method sigma --mean m.npy --variance v.npy --targets y.npy -o model.json
  a factor for each part of the variance
    plumb calibrate fit --method sigma-parts --mean m.npy --aleatoric a.npy --epistemic e.npy --targets y.npy -o model.json
  intervals with guaranteed coverage for any distribution
    plumb calibrate fit --method conformal --errors t.csv:E --std t.csv:uE --levels 0.9 -o model.json)";

constexpr const char* kRegressionApplyExamples = R"(Examples:
  plumb calibrate apply model.json --variance v.npy -o calibrated.npy
  plumb calibrate apply model.json --mean m.npy --variance v.npy --intervals bounds.npy --levels 0.9,0.95)";

std::vector<double> parse_levels(const Args& texts) {
  std::vector<double> out;
  for (const std::string& text : texts) {
    out.push_back(number_of(text).value_or(0));
    if (!(out.back() > 0 && out.back() < 1))
      throw InputError("--levels takes numbers between 0 and 1, not \"" + text + "\"");
  }
  return out;
}

/// The predictions before and after, on the fitting data, which the output says.
void write_fit_pages(Pages& pages, const RegressionInputs& inputs, const CalibrationModel& model,
                     const RegressionFitOptions& o, const Args& args) {
  if (!pages.wanted()) return;
  if (!has_fit_scores(model, inputs.items))
    throw InputError("--report, --plots and --figure show variances before and after calibration, which " +
                     std::string(model.steps.front().method == "conformal"
                                     ? "conformal intervals do not have"
                                     : "stochastic passes do not have") +
                     "; apply the model and evaluate its output");
  auto [before, after] = fit_results(model, inputs.items, o);
  pages.finish_fit(std::move(before), std::move(after), model.steps.front().method, args, inputs.infos,
                   inputs.paths);
}

bool asks_for_help(const Args& args) {
  return std::any_of(args.begin(), args.end(), [](const auto& a) { return a == "--help" || a == "-h"; });
}

}  // namespace

bool is_regression_fit(const Args& args) {
  if (has_regression_flags(args)) return true;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool named = i > 0 && args[i - 1] == "--method", joined = args[i].starts_with("--method=");
    if ((named || joined) && find_regression_calibrator(args[i].substr(joined ? 9 : 0)) != nullptr)
      return true;
  }
  return false;
}

bool is_regression_apply(const Args& args) {
  return has_regression_flags(args) || std::any_of(args.begin(), args.end(), [](const std::string& arg) {
           const std::string flag = arg.substr(0, arg.find('='));
           return flag == "--variance" || flag == "--std" || flag == "--aleatoric" || flag == "--epistemic" ||
                  flag == "--variance-samples";
         });
}

int fit_regression(const Args& args) {
  Flags flags("calibrate fit",
              "Calibrates the predicted variances of a regression; the mean does not change.");
  RegressionFlags given;
  RegressionFitOptions options;
  const Args scores(kConformalScores.begin(), kConformalScores.end());
  std::string method, out, score = scores.front();
  Args levels;
  std::string out_variances;
  std::int64_t hidden = kAuxHidden, threads = options.threads, folds = 0;
  double hold_out = kAuxHoldOut;
  bool quiet = false;
  PageFlags page_flags;
  flags.heading("Fit");
  flags.text("--method", "NAME", method, "a regression calibrator of \"plumb list\", or auto");
  flags.text("-o,--out", "FILE", out, "the model file");
  flags.toggle("--per-output", options.per_output,
               "sigma, sigma-laplace, sigma-aleatoric: a factor for each output");
  flags.integer("--hidden", hidden, "aux: number of hidden units");
  flags.number("--hold-out", hold_out, "aux: share held out for early stopping; 0: none");
  flags.choice("--score", scores, score, "conformal: the score to rank by");
  flags.list("--levels", "0.9,0.95", levels, "conformal: levels besides 0.01 to 0.99");
  flags.number("--clip", options.clip, "raise variances below X to X");
  flags.integer("--cross-fit", folds, "folds of out-of-fold calibration, written to --out-variances");
  flags.text("--out-variances", "FILE", out_variances,
             "out-of-fold variances, N or N x d: .npy, .csv or .parquet");
  add_regression_flags(flags, given, true);
  flags.heading("Other");
  flags.seed("--seed", options.seed, "seed of the hold-out and of the initial weights");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  add_page_flags(flags, page_flags);
  flags.toggle("--quiet", quiet, "print nothing");
  flags.examples(kRegressionFitExamples);
  if (!flags.parse(asks_for_help(args) ? Args{"--help"} : args)) return kDone;
  if (method.empty()) throw InputError("no method given; name one with --method, for example --method sigma");
  if (out.empty()) throw InputError("no output file given; name the model file with -o model.json");
  if (flags.given("--hidden")) options.hidden = hidden;
  if (flags.given("--hold-out")) options.hold_out = hold_out;
  if (flags.given("--score"))
    options.score =
        static_cast<ConformalScore>(std::find(scores.begin(), scores.end(), score) - scores.begin());
  options.levels = parse_levels(levels);
  check_threads(threads);
  options.threads = narrow<int>(threads);
  if (flags.given("--cross-fit") != !out_variances.empty())
    throw InputError(
        "--cross-fit and --out-variances go together: the number of folds, and the file for the variances");
  if (flags.given("--cross-fit")) between("--cross-fit", folds, 2, 1000);
  if (!out_variances.empty()) check_numbers_path("--out-variances", out_variances);
  const bool automatic = method == "auto";
  if (!automatic) check_fit_options(method, options);
  const RegressionInputs inputs = load_regression(given, true, options.threads);
  Pages pages(page_flags);
  check_outputs(pages.with_outputs({{"-o", out}, {"--out-variances", out_variances}}), inputs.paths);
  AtomicFile file(out);
  pages.open();
  CalibrationModel model = automatic ? fit_regression_auto(inputs.items, options)
                                     : fit_regression_model(method, inputs.items, options);
  std::optional<TableFile> variances;
  if (!out_variances.empty()) {
    const std::int64_t n = inputs.items.size(), d = inputs.items.outputs();
    Args columns;
    for (std::int64_t j = 0; j < d; ++j)
      columns.push_back(d == 1 ? "variance" : "variance_" + std::to_string(j));
    const std::vector<double> v =
        cross_fit_variances(model.steps.front().method, inputs.items, options, narrow<int>(folds));
    variances.emplace(out_variances, d == 1 ? std::vector{n} : std::vector{n, d}, columns);
    variances->write(v);
    variances->settle();
  }
  for (std::size_t i = 0; i < inputs.paths.size(); ++i)
    if (inputs.infos[i].flag == "--variance" || inputs.infos[i].flag == "--std" ||
        inputs.infos[i].flag == "--aleatoric" || inputs.infos[i].flag == "--variance-samples")
      model.fitted_on.push_back(sha256_file(inputs.paths[i]));
  file.write(model_text(model));
  write_fit_pages(pages, inputs, model, options, args);
  file.commit();
  if (variances) variances->commit();
  const Step& step = model.steps.front();
  for (const std::string& warning : step.fit.warnings) say(warning);
  if (quiet) return kDone;
  std::string league;
  for (const auto& [name, value] : step.fit.options)
    if (const auto* names = std::get_if<Args>(&value); name == "league" && names != nullptr)
      for (const std::string& line : *names) league += line + "\n";
  std::istringstream lines(league + render_regression_fit(step, fit_scores(model, inputs.items, options)));
  for (std::string line; std::getline(lines, line);) write_stdout(broken(line, stdout_width(), 2) + "\n");
  return kDone;
}

int apply_regression(const Args& args) {
  Flags flags("calibrate apply",
              "Calibrated variances, and the bounds of intervals. The mean does not change.");
  RegressionFlags given;
  Args model_given, levels_given;
  std::string out, intervals;
  std::int64_t threads = 0;
  bool quiet = false;
  flags.positional("model", model_given, "model file from plumb calibrate fit");
  add_regression_flags(flags, given, false);
  flags.heading("Output");
  flags.text("-o,--out", "FILE", out, "calibrated variances, N or N x d: .npy, .csv or .parquet");
  flags.text("--intervals", "FILE", intervals,
             ".npy of N x L x 2 or N x d x L x 2 bounds, .csv or .parquet; needs --mean");
  flags.list("--levels", "0.9,0.95", levels_given, "levels of the intervals [0.95]");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.toggle("--quiet", quiet, "print nothing");
  flags.examples(kRegressionApplyExamples);
  if (!flags.parse(asks_for_help(args) ? Args{"--help"} : args)) return kDone;
  const std::string path = one_model(model_given, "plumb calibrate apply");
  if (out.empty() && intervals.empty())
    throw InputError(
        "no output file given; name one for the variances with -o, or for the interval bounds with --intervals");
  if (intervals.empty() && !levels_given.empty())
    throw InputError("--levels is for --intervals; name a file for the bounds");
  const CalibrationModel model = load_model(path);
  if (is_cqr(model)) throw InputError(path + " calibrates quantiles; give them with --quantiles");
  const std::vector<double> levels =
      levels_given.empty() ? std::vector<double>{0.95} : parse_levels(levels_given);
  check_threads(threads);
  const RegressionInputs inputs = load_regression(given, false, narrow<int>(threads));
  check_fits(model, inputs.items);
  if (!out.empty() && !find_regression_calibrator(model.steps.front().method)->variances)
    throw InputError(
        path +
        " is a conformal model, which gives intervals and no variances; use --intervals instead of -o");
  auto all_inputs = inputs.paths;
  all_inputs.push_back(path);
  check_numbers_path("-o", out);
  check_outputs({{"-o", out}, {"--intervals", intervals}}, all_inputs);
  apply_to_files(model, inputs.items, levels, {out, intervals});
  if (quiet) return kDone;
  if (!out.empty())
    write_stdout("Wrote calibrated variances of " + counted(inputs.items.size(), "item") + " to " + out +
                 "\n");
  if (!intervals.empty())
    write_stdout("Wrote interval bounds of " + counted(inputs.items.size(), "item") + " to " + intervals +
                 "\n");
  return kDone;
}

}  // namespace plumb::cli
