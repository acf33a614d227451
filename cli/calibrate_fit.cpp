// `plumb calibrate fit`.
#include <algorithm>

#include "calibrate.hpp"
#include "case_flags.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "pages.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/fit_model.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/model/apply_files.hpp"
#include "plumb/model/fit_scores.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/calibrate.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kFitExamples = R"(Examples:
  one temperature, from logits and votes of several raters
    plumb calibrate fit --method temperature --logits val.npy --counts votes.npy -o model.json
  choose by cross-validation, patients kept together
    plumb calibrate fit --method auto --probs val.npy --labels y.npy --groups items.csv:patient -o model.json
  how raters spread around the calibrated prediction: alpha_0 on top of a temperature
    plumb calibrate fit --method alpha --after model.json --logits val.npy --counts votes.npy -o both.json
  one data set to calibrate and to evaluate: out-of-fold probabilities
    plumb calibrate fit --method temperature --probs p.npy --labels y.npy -o m.json --cross-fit 5 --out-probs oof.npy)";

struct FitFlags {
  std::string method, out, after, lambda, lambda_b, lambda_w, prior_votes, out_probs;
  Args features;
  FitOptions options;
  PageFlags pages;
  std::int64_t folds = 0, bins = kHistogramBins, threads = options.threads, cross_fit = 0;
  bool quiet = false;
};

std::optional<double> strength(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<double> x = number_of(text);
  if (!x || !(*x >= 0)) throw InputError(flag + " takes a number of 0 or more, not \"" + text + "\"");
  return x;
}

FitOptions fit_options(const FitFlags& f, const Flags& flags) {
  if (f.method.empty())
    throw InputError("no method given; name one with --method (\"plumb list\" shows them; auto chooses one)");
  FitOptions o = f.options;
  if (flags.given("--folds")) o.folds = f.folds;
  if (flags.given("--bins")) o.bins = f.bins;
  o.lambda = strength("--lambda", f.lambda);
  o.lambda_b = strength("--lambda-b", f.lambda_b);
  o.lambda_w = strength("--lambda-w", f.lambda_w);
  o.prior_votes = strength("--prior-votes", f.prior_votes);
  check_threads(f.threads);
  o.threads = narrow<int>(f.threads);
  check_fit_options(f.method, o);
  if (f.out.empty()) throw InputError("no output file given; name the model file with -o model.json");
  if (flags.given("--cross-fit") != !f.out_probs.empty())
    throw InputError(
        "--cross-fit (the number of folds) and --out-probs (the file for the out-of-fold probabilities) must be given together");
  if (flags.given("--cross-fit") && (f.cross_fit < 2 || f.cross_fit > 1000))
    throw InputError("--cross-fit must be between 2 and 1000, not " + std::to_string(f.cross_fit));
  if (flags.given("--cross-fit") && f.method == "alpha")
    throw InputError(
        "--cross-fit writes probabilities, which alpha leaves as they are; use it with another method");
  check_numbers_path("--out-probs", f.out_probs);
  return o;
}

void add_fit_flags(Flags& flags, FitFlags& f) {
  flags.heading("Fit");
  flags.text(
      "--method", "M", f.method,
      "temperature, ..., auto: see \"plumb list\"; sets, risk-control: prediction sets, masks that miss little (fit --method sets --help)");
  flags.text("--after", "FILE", f.after,
             "model whose steps come first; the new step is fitted on its output");
  flags.text("--lambda-b", "X", f.lambda_b, "penalty on intercepts (vector 0.1; matrix, dirichlet 1)");
  flags.text("--lambda-w", "X", f.lambda_w, "penalty on off-diagonal weights (matrix, dirichlet 10)");
  flags.text("--lambda", "X", f.lambda, "penalty of alpha (0.005) and spline (by cross-validation)");
  flags.toggle("--tune", f.options.tune, "choose the penalties by held-out log-loss, then refit on all data");
  flags.text("--prior-votes", "X", f.prior_votes,
             "pseudo-votes that shrink the fit towards the original predictions (auto 5; other methods 0)");
  flags.integer("--folds", f.folds, "folds of --tune (0: hold out a fifth), auto and spline (0: five)");
  flags.integer("--bins", f.bins, "bins of the histogram");
  flags.files("--features", "FILE", f.features, "N x F features that alpha_0 depends on");
  flags.toggle("--weight-votes", f.options.weight_votes, "alpha: weight items by their number of votes");
  flags.seed("--seed", f.options.seed, "seed of the splits, which are by group if given, otherwise by item");
  flags.integer("--threads", f.threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", f.out, "the model file");
  add_page_flags(flags, f.pages);
  flags.integer("--cross-fit", f.cross_fit, "folds of out-of-fold calibration, written to --out-probs");
  flags.text("--out-probs", "FILE", f.out_probs, "out-of-fold probabilities, float64 .npy");
  flags.toggle("--quiet", f.quiet, "print no summary and no progress");
}

/// Out-of-fold probabilities are evaluated; without them, they are the suggested next step.
std::string fit_advice(const Args& args, const FitFlags& f) {
  if (f.out_probs.empty()) {
    if (f.method == "alpha") return "";
    Args parts = argument_parts(args, [](const std::string& flag) { return !is_page_flag(flag); });
    parts.insert(parts.begin(), "plumb calibrate fit");
    parts.insert(parts.end(), {"--cross-fit 5", "--out-probs calibrated.npy"});
    return next_command("Evaluate it with out-of-fold probabilities (or apply it to new data):", parts);
  }
  const Args kept{"--labels", "--counts",  "--ratings", "--annotations", "--duplicates",
                  "--ids",    "--classes", "--weights", "--groups"};
  Args parts = argument_parts(
      args, [&](const std::string& flag) { return std::find(kept.begin(), kept.end(), flag) != kept.end(); });
  parts.insert(parts.begin(), {"plumb evaluate", "--probs " + shell_word(f.out_probs)});
  parts.emplace_back("--bootstrap 200");
  return next_command("Evaluate the out-of-fold probabilities:", parts);
}

}  // namespace

int calibrate_fit(const Args& args) {
  if (is_sets_fit(args)) return calibrate_fit_sets(args);
  if (is_risk_fit(args)) return calibrate_fit_risk(args);
  if (has_manifest_flags(args)) return calibrate_fit_manifest(args);
  if (std::any_of(args.begin(), args.end(),
                  [](const std::string& a) { return a == "--states" || a.starts_with("--states="); }))
    return calibrate_fit_states(args);
  Flags flags("calibrate fit", "Fits a calibrator on held-out predictions and their labels or votes.");
  InputFlags input_flags;
  FitFlags f;
  add_answer_flags(flags, input_flags);
  for (const char* idle : {"--by", "--concentration", "--truth"})
    flags.unavailable(idle, std::string(idle) + " has no effect on plumb calibrate fit; leave it out");
  add_fit_flags(flags, f);
  flags.examples(kFitExamples);
  if (!flags.parse(args)) return kDone;
  if (flags.given("--ids") && !flags.given("--annotations"))
    throw InputError("--ids has no effect on plumb calibrate fit without --annotations; leave it out");
  FitOptions options = fit_options(f, flags);

  Inputs inputs = load_inputs(input_flags, options.threads);
  options.features = Loader(options.threads, inputs).rows("--features", f.features);
  std::optional<CalibrationModel> after;
  std::vector<std::string> used = inputs.paths;
  if (!f.after.empty()) {
    after = load_model(f.after);
    used.push_back(f.after);
  }
  Pages pages(f.pages);
  check_outputs(pages.with_outputs({{"-o", f.out}, {"--out-probs", f.out_probs}}), used);
  AtomicFile file(f.out);
  pages.open();
  std::optional<TableFile> oof;
  // What cannot be written is reported before the work.
  if (!f.out_probs.empty()) TableFile(f.out_probs, {0}, probability_columns(1, {}));

  FittedModel fitted;
  {
    ProgressBar bar(!f.quiet);
    options.progress = bar.callback();
    fitted = fit_model(f.method, inputs.items, options, after ? &*after : nullptr);
    if (!f.out_probs.empty()) {
      const auto z = cross_fit(f.method, fitted.items, options, narrow<int>(f.cross_fit));
      const std::int64_t n = fitted.items.size(), width = fitted.items.predictions.width();
      oof.emplace(f.out_probs, width == 1 ? std::vector{n} : std::vector{n, width},
                  probability_columns(width, header_classes(inputs.items.predictions.sources().front())));
      oof->write(z);
    }
  }
  CalibrationModel& model = fitted.model;
  for (std::string& digest : prediction_digests(inputs)) model.fitted_on.push_back(std::move(digest));
  file.write(model_text(model));
  std::vector<BeforeAfter> scores;
  if (!f.quiet) scores = fit_scores(fitted, options);
  file.commit();
  if (oof) oof->commit();
  if (pages.wanted()) {
    auto [before, then] = fit_results(fitted, options, kSampleItems);
    pages.finish_fit(std::move(before), std::move(then), model.steps.back().method, args, inputs.infos,
                     inputs.paths);
  }
  if (f.quiet) return kDone;
  write_stdout(render_fit({model, std::move(scores), fitted.league}, stdout_options()) + notes_text(inputs));
  write_stdout(fit_advice(args, f));
  return kDone;
}

}  // namespace plumb::cli
