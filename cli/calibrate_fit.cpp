// `plumb calibrate fit`.
#include "calibrate.hpp"
#include "output.hpp"
#include "pages.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/fit_model.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
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
  let cross-validation choose, patients kept together
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
    throw InputError("how? Name a method with --method (\"plumb list\" shows them; auto chooses)");
  const bool by_id = flags.given("--annotations");
  for (const std::string idle : {"--by", "--ids", "--concentration", "--truth"})
    if (flags.given(idle) && !(by_id && idle == "--ids"))
      throw InputError(idle + " does nothing for plumb calibrate fit; leave it out");
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
        "--cross-fit k and --out-probs FILE go together: the number of folds and where the out-of-fold "
        "probabilities go");
  if (flags.given("--cross-fit") && (f.cross_fit < 2 || f.cross_fit > 1000))
    throw InputError("--cross-fit takes 2 to 1000 folds, not " + std::to_string(f.cross_fit));
  if (flags.given("--cross-fit") && f.method == "alpha")
    throw InputError(
        "--cross-fit writes probabilities, which alpha leaves as they are; use it with another method");
  check_npy("--out-probs", f.out_probs);
  return o;
}

void add_fit_flags(Flags& flags, FitFlags& f) {
  flags.heading("How it is fitted");
  flags.text("--method", "M", f.method, "temperature, ..., auto: see \"plumb list\"");
  flags.text("--after", "FILE", f.after,
             "a model whose steps come first; the new one is fitted on what it gives");
  flags.text("--lambda-b", "X", f.lambda_b, "strength on intercepts (vector 0.1; matrix, dirichlet 1)");
  flags.text("--lambda-w", "X", f.lambda_w, "strength on off-diagonal weights (matrix, dirichlet 10)");
  flags.text("--lambda", "X", f.lambda, "strength of alpha (0.005) and spline (by cross-validation)");
  flags.yes("--tune", f.options.tune, "choose the strengths by held-out log-loss, then refit on all");
  flags.text("--prior-votes", "X", f.prior_votes,
             "pseudo-votes that hold the fit to the predictions as they are (auto 5; by name 0)");
  flags.whole("--folds", f.folds, "of --tune (0: hold out a fifth), auto and spline (0: five)");
  flags.whole("--bins", f.bins, "bins of the histogram");
  flags.files("--features", "FILE", f.features, "N x F, what alpha_0 depends on");
  flags.yes("--weight-votes", f.options.weight_votes, "alpha: items count by their votes");
  flags.seed("--seed", f.options.seed, "of the splits, which go by --groups, else by item");
  flags.whole("--threads", f.threads, "0: all cores; never changes a number");
  flags.heading("What comes out");
  flags.text("-o,--out", "FILE", f.out, "the model file");
  add_page_flags(flags, f.pages);
  flags.whole("--cross-fit", f.cross_fit, "folds of out-of-fold calibration, written to --out-probs");
  flags.text("--out-probs", "FILE", f.out_probs, "out-of-fold probabilities, float64 .npy");
  flags.yes("--quiet", f.quiet, "no words, no progress");
}

}  // namespace

int calibrate_fit(const Args& args) {
  Flags flags("calibrate fit", "Fits a calibrator on held-out predictions and what was observed.");
  InputFlags input_flags;
  FitFlags f;
  add_input_flags(flags, input_flags);
  add_fit_flags(flags, f);
  flags.examples(kFitExamples);
  if (!flags.parse(args)) return kDone;
  FitOptions options = fit_options(f, flags);

  Inputs inputs = load_inputs(input_flags, options.threads);
  options.features = Loader(options.threads, inputs).rows("--features", f.features);
  std::optional<CalibrationModel> after;
  std::vector<std::string> used = inputs.paths;
  if (!f.after.empty()) {
    after = load_model(f.after);
    used.push_back(f.after);
  }
  check_outputs(
      {{"-o", f.out}, {"--out-probs", f.out_probs}, {"--report", f.pages.report}, {"--plots", f.pages.plots}},
      used);
  Pages pages(f.pages);
  AtomicFile file(f.out);
  pages.open();
  std::optional<AtomicFile> oof;
  if (!f.out_probs.empty()) oof.emplace(f.out_probs);

  FittedModel fitted;
  {
    ProgressBar bar(!f.quiet);
    options.progress = bar.callback();
    fitted = fit_model(f.method, inputs.items, options, after ? &*after : nullptr);
    if (oof) {
      const auto z = cross_fit(f.method, fitted.items, options, narrow<int>(f.cross_fit));
      const std::int64_t n = fitted.items.size(), width = fitted.items.predictions.width();
      oof->write(npy_header(DType::f64, width == 1 ? std::vector{n} : std::vector{n, width}));
      oof->write(std::as_bytes(std::span(z)));
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
  if (!f.quiet)
    write_stdout(render_fit({model, std::move(scores), fitted.league}, stdout_look()) + notes_text(inputs));
  return kDone;
}

}  // namespace plumb::cli
