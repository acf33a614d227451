// `plumb calibrate fit --manifest`: a calibrator of voxels.
#include "calibrate.hpp"
#include "case_flags.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "plumb/calibrate/voxel_fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/nothing_left.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/model/fit_scores.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/calibrate.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

struct VoxelSummary {
  FittedModel fitted;
  std::vector<BeforeAfter> scores;
};

Items voxels_of(const CaseInputs& cases, std::int64_t i) {
  try {
    Items items = cases.read(i).items;
    check_items(items);
    return items;
  } catch (const NothingLeft&) {
    throw;
  } catch (const InputError& e) {
    throw InputError("case " + cases.names[i] + ": " + e.sentence());
  }
}

/// The numbers of the cases that have a voxel to fit on: where the model predicts nothing, there may be none.
std::vector<std::int64_t> cases_with_voxels(const CaseInputs& cases) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < std::ssize(cases.names); ++i) try {
      if (cases.files.predicted) (void)voxels_of(cases, i);
      out.push_back(i);
    } catch (const NothingLeft&) {
    }
  if (out.empty()) throw InputError("no case has a voxel left; choose other voxels");
  return out;
}

VoxelSummary fit_on_ladders(const std::string& method, const CaseInputs& cases,
                            const std::vector<std::int64_t>& numbers, const FitOptions& options) {
  VoxelFit fit(method);
  for (const std::int64_t i : numbers) {
    const Items items = voxels_of(cases, i);
    try {
      fit.add(items, options.threads);
    } catch (const InputError& e) {
      throw InputError("case " + cases.names[i] + ": " + e.sentence());
    }
    if (options.progress)
      options.progress(static_cast<double>(i + 1) / static_cast<double>(cases.names.size()));
  }
  VoxelSummary out{fit.fit(options), {}};
  if (out.fitted.items.size() > 0) out.scores = fit_scores(out.fitted, options);
  return out;
}

VoxelSummary fit_more_classes(const CaseInputs& cases, const std::vector<std::int64_t>& numbers,
                              const FitOptions& options) {
  std::int64_t now = 0;
  const auto read = [&](std::int64_t i) { return voxels_of(cases, now = numbers[i]); };
  try {
    VoxelTemperature fit = fit_voxel_temperature(std::ssize(numbers), read, options);
    return {std::move(fit.fitted), std::move(fit.scores)};
  } catch (const InputError& e) {
    const std::string said = e.sentence();
    if (!said.starts_with("it has ")) throw;
    throw InputError("case " + cases.names[now] + ": " + said);
  }
}

}  // namespace

int calibrate_fit_manifest(const Args& args) {
  Flags flags("calibrate fit",
              "Fits a calibrator on all voxels of held-out cases. One case is in memory at a time.");
  CaseFlags f;
  FitOptions options;
  std::string method, out, prior;
  std::int64_t threads = 0;
  bool quiet = false;
  add_case_flags(flags, f, {.layouts = true, .arrays = true});
  flags.heading("Fit");
  flags.text("--method", "M", method, "temperature or isotonic; with two classes also platt or beta");
  flags.text("--prior-votes", "X", prior,
             "pseudo-votes that shrink the fit towards the original predictions");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", out, "the model file");
  flags.toggle("--quiet", quiet, "print no summary and no progress");
  flags.examples("Example:\n  plumb calibrate fit --manifest val.csv --method temperature -o model.json");
  if (!flags.parse(args)) return kDone;
  if (method.empty()) throw InputError("no method given; name one with --method, for example temperature");
  if (out.empty()) throw InputError("no output file given; name the model file with -o model.json");
  if (!prior.empty()) {
    options.prior_votes = number_of(prior);
    if (!options.prior_votes)
      throw InputError("--prior-votes takes a number of 0 or more, not \"" + prior + "\"");
  }
  check_threads(threads);
  options.threads = narrow<int>(threads);
  (void)VoxelFit(method);  // refuses what it cannot fit
  check_fit_options(method, options);
  if (f.foreground)
    throw InputError(
        "--foreground selects voxels by their votes, which would bias the fit; use --predicted or a roi");
  const CaseInputs cases = open_cases(f, options.threads);
  check_outputs({{"-o", out}}, cases.paths);
  AtomicFile file(out);
  VoxelSummary summary;
  {
    ProgressBar bar(!quiet);
    options.progress = bar.callback();
    const std::vector<std::int64_t> numbers = cases_with_voxels(cases);
    const bool more = method == "temperature" && !voxels_of(cases, numbers.front()).binary();
    summary =
        more ? fit_more_classes(cases, numbers, options) : fit_on_ladders(method, cases, numbers, options);
  }
  FittedModel& fitted = summary.fitted;
  if (cases.manifest.logits) fitted.model.input = "logits";
  std::string before;
  for (const ManifestCase& c : cases.manifest.cases) {
    if (c.probs.path != before) fitted.model.fitted_on.push_back(sha256_file(c.probs.path));
    before = c.probs.path;
  }
  file.write(model_text(fitted.model));
  file.commit();
  if (!quiet) write_stdout(render_fit({fitted.model, summary.scores, {}, false}, stdout_options()));
  return kDone;
}

}  // namespace plumb::cli
