// `plumb calibrate fit`.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "calibrate.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "pages.hpp"
#include "plumb/calibrate/alpha.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/report/calibrate.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  one temperature, from logits and votes of several raters
    plumb calibrate fit --method temperature --logits val.npy --counts votes.npy -o model.json
  let cross-validation choose, patients kept together
    plumb calibrate fit --method auto --probs val.npy --labels y.npy --groups items.csv:patient -o model.json
  how raters spread around the calibrated prediction: alpha_0 on top of a temperature
    plumb calibrate fit --method alpha --after model.json --logits val.npy --counts votes.npy -o both.json
  one data set to calibrate and to evaluate: out-of-fold probabilities
    plumb calibrate fit --method temperature --probs p.npy --labels y.npy -o m.json --cross-fit 5 --out-probs oof.npy)";

struct FitFlags {
  std::string method, out, after, lambda, lambda_b, lambda_w, out_probs;
  Args features;
  FitOptions options;
  PageFlags pages;
  std::int64_t folds = options.folds, bins = options.bins, threads = options.threads, cross_fit = 0;
  bool quiet = false;
};

std::optional<double> strength(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size() || !(x >= 0) || !std::isfinite(x))
    throw InputError(flag + " takes a number of 0 or more, not \"" + text + "\"");
  return x;
}

// A flag that a method does not use would be a wish that nobody hears.
void check_used(const Flags& flags, const std::string& method) {
  struct Use {
    const char* flag;
    Args methods;
  };
  const Args linear{"vector", "matrix", "dirichlet"};
  const Use uses[] = {{"--lambda-b", linear},
                      {"--lambda-w", {"matrix", "dirichlet"}},
                      {"--lambda", {"alpha", "spline"}},
                      {"--tune", linear},
                      {"--bins", {"histogram", "auto"}},
                      {"--features", {"alpha"}},
                      {"--weight-votes", {"alpha"}}};
  for (const Use& use : uses) {
    if (!flags.given(use.flag) ||
        std::find(use.methods.begin(), use.methods.end(), method) != use.methods.end())
      continue;
    std::string names;
    for (const std::string& m : use.methods) names += (names.empty() ? "" : ", ") + m;
    throw InputError(std::string(use.flag) + " does nothing for the method " + method + "; it is for " +
                     names);
  }
  if (flags.given("--folds") && !flags.given("--tune") && method != "auto" && method != "spline")
    throw InputError("--folds does nothing for the method " + method + " without --tune");
}

FitOptions checked(const FitFlags& f, const Flags& flags) {
  if (f.method.empty())
    throw InputError("how? Name a method with --method (\"plumb list\" shows them; auto chooses)");
  if (find_calibrator(f.method) != nullptr) check_used(flags, f.method);
  if (f.out.empty()) throw InputError("where to? Name the model file with -o model.json");
  if (flags.given("--cross-fit") != !f.out_probs.empty())
    throw InputError(
        "--cross-fit k and --out-probs FILE go together: the number of folds and where the out-of-fold "
        "probabilities go");
  if (flags.given("--cross-fit") && (f.cross_fit < 2 || f.cross_fit > 1000))
    throw InputError("--cross-fit takes 2 to 1000 folds, not " + std::to_string(f.cross_fit));
  if (flags.given("--cross-fit") && f.method == "alpha")
    throw InputError(
        "--cross-fit writes probabilities, which alpha leaves as they are; use it with another method");
  check_distinct({{"-o", f.out}, {"--out-probs", f.out_probs}, {"--report", f.pages.report}});
  check_npy("--out-probs", f.out_probs);
  if (flags.given("--folds") && (f.folds < 2 || f.folds > 1000))
    throw InputError("--folds takes 2 to 1000, not " + std::to_string(f.folds));
  check_threads(f.threads);
  check_bins(f.bins);
  FitOptions o = f.options;
  o.lambda = strength("--lambda", f.lambda);
  o.lambda_b = strength("--lambda-b", f.lambda_b);
  o.lambda_w = strength("--lambda-w", f.lambda_w);
  o.folds = static_cast<int>(f.folds);
  o.bins = static_cast<int>(f.bins);
  o.threads = static_cast<int>(f.threads);
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
  flags.whole("--folds", f.folds, "of --tune (0: hold out a fifth), auto and spline (0: five)");
  flags.whole("--bins", f.bins, "cells of the histogram");
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

std::vector<std::optional<double>> scores(const Items& items, const Args& keys, const FitOptions& o) {
  EvaluateOptions e;
  e.metrics = keys;
  e.clip = kScoreClip;
  e.consensus = false;
  e.threads = o.threads;
  const Result r = evaluate(items, e);
  std::vector<std::optional<double>> out;
  for (const std::string& key : keys)
    for (const auto& [name, metric] : r.metrics)
      if (name == key) out.push_back(metric.value);
  return out;
}

Items after_fit(const Items& items, const CalibrationModel& model, const FitOptions& o) {
  if (model.steps.back().method != "alpha")
    return calibrated(items, {model.task, model.classes, {}, "", {model.steps.back()}, "", {}}, o.threads);
  Items after = items;
  std::vector<double> a(static_cast<std::size_t>(items.size()));
  alpha_concentration(model.steps.back(), o.features, 0, items.size(), a);
  after.concentration = {Rows(array_of(std::move(a), {items.size()}, "alpha_0"))};
  return after;
}

Tree league_section(const std::vector<LeagueRow>& league) {
  Tree::List out;
  for (const LeagueRow& row : league) {
    Tree::Members m;
    m.emplace_back("method", Value(row.method));
    m.emplace_back("nll", row.why.empty() ? Value(row.nll) : Value{});
    m.emplace_back("se", row.why.empty() ? Value(row.se) : Value{});
    m.emplace_back("outcome", Value(row.chosen         ? std::string("chosen")
                                    : !row.why.empty() ? row.why
                                    : row.within       ? std::string("within one standard error")
                                                       : std::string()));
    out.emplace_back(std::move(m));
  }
  return out;
}

// The page shows the predictions before and after, on the data of the fit, and says so.
void write_pages(Pages& pages, const Items& items, const CalibrationModel& model, const FitSummary& summary,
                 const FitOptions& o, const Inputs& inputs, const Args& args) {
  EvaluateOptions e;
  e.clip = kScoreClip;
  e.threads = o.threads;
  e.seed = o.seed;
  e.sample_items = kSampleItems;
  Result before = evaluate(items, e), after = evaluate(after_fit(items, model, o), e);
  if (!summary.league.empty()) after.sections.emplace_back("league", league_section(summary.league));
  pages.finish_fit(std::move(before), std::move(after), model.steps.back().method, args, inputs.infos,
                   inputs.paths);
}

// What changed, on the data of the fit itself.
std::vector<BeforeAfter> before_and_after(const Items& items, const CalibrationModel& model,
                                          const FitOptions& o) {
  const bool alpha = model.steps.back().method == "alpha";
  const Args keys = alpha ? Args{"disagreement_loss", "disagreement_ce"} : Args{"nll", "ece"};
  const Items after = after_fit(items, model, o);
  const auto was = scores(items, keys, o), is = scores(after, keys, o);
  std::vector<BeforeAfter> out;
  for (std::size_t k = 0; k < keys.size() && k < was.size() && k < is.size(); ++k)
    out.push_back({keys[k], was[k], is[k]});
  return out;
}

std::vector<std::int64_t> shape_of(const Items& items) {
  if (items.binary()) return {items.size()};
  return {items.size(), items.classes()};
}

}  // namespace

int calibrate_fit(const Args& args) {
  Flags flags("calibrate fit", "Fits a calibrator on held-out predictions and what was observed.");
  InputFlags input_flags;
  FitFlags f;
  add_input_flags(flags, input_flags);
  add_fit_flags(flags, f);
  flags.examples(kExamples);
  if (!flags.parse(args)) return kDone;
  FitOptions options = checked(f, flags);

  Inputs inputs = load_inputs(input_flags, options.threads);
  if (!f.features.empty()) options.features = load_rows("--features", f.features, options.threads, inputs);
  const Predictions& p = inputs.items.predictions;
  CalibrationModel model;
  if (!f.after.empty()) {
    model = load_model(f.after);
    check_fits(model, f.after, p);
    if (model.steps.back().method == "alpha")
      throw InputError(
          f.after +
          " ends with alpha, which leaves the probabilities as they are; fit the other method first");
  } else {
    model.input = p.scale() == Scale::logit && p.samples() == 1 ? "logits" : "probabilities";
  }
  model.task = inputs.items.binary() ? "binary" : "multiclass";
  model.classes = inputs.items.classes();
  if (!inputs.items.class_names.empty()) model.class_names = inputs.items.class_names;
  model.version = version();
  if (!f.after.empty()) check_not_over("-o", f.out, {f.after});
  check_not_over("-o", f.out, inputs.paths);
  check_not_over("--out-probs", f.out_probs, inputs.paths);
  Pages pages(f.pages);
  pages.check_not_over(inputs.paths);
  AtomicFile file(f.out);
  pages.open();
  std::optional<AtomicFile> oof;
  if (!f.out_probs.empty()) oof.emplace(f.out_probs);

  const Items items = f.after.empty() ? inputs.items : calibrated(inputs.items, model, options.threads);
  FitSummary summary;
  std::vector<double> out_of_fold;
  {
    ProgressBar bar(!f.quiet);
    options.progress = bar.callback();
    if (f.method == "auto") {
      (void)fit_calibrator("none", items, options);  // the checks
      AutoChoice choice = fit_auto(items, options);
      summary.league = std::move(choice.league);
      for (Step& s : choice.steps) model.steps.push_back(std::move(s));
    } else {
      for (Step& s : fit_calibrator(f.method, items, options)) model.steps.push_back(std::move(s));
    }
    if (oof) out_of_fold = cross_fit(f.method, items, options, static_cast<int>(f.cross_fit));
  }
  for (std::string& digest : prediction_digests(inputs)) model.fitted_on.push_back(std::move(digest));
  file.write(model_text(model));
  if (oof) {
    oof->write(npy_header(DType::f64, shape_of(items)));
    oof->write(std::as_bytes(std::span<const double>(out_of_fold)));
  }
  if (!f.quiet) summary.scores = before_and_after(items, model, options);
  file.commit();
  if (oof) oof->commit();
  if (pages.wanted()) write_pages(pages, items, model, summary, options, inputs, args);
  if (f.quiet) return kDone;
  summary.model = model;
  write_stdout(render_fit(summary, {stdout_colour(), stdout_width(), true}));
  return kDone;
}

}  // namespace plumb::cli
