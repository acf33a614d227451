// `plumb calibrate fit --manifest`: a calibrator of voxels.
#include "calibrate.hpp"
#include "case_flags.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "plumb/calibrate/voxel_fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/model/fit_scores.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/calibrate.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {

int calibrate_fit_manifest(const Args& args) {
  Flags flags(
      "calibrate fit",
      "Fits a calibrator of two classes on all voxels of held-out cases. One case is in memory at a time.");
  CaseFlags f;
  FitOptions options;
  std::string method, out, prior;
  std::int64_t threads = 0;
  bool quiet = false;
  add_case_flags(flags, f);
  flags.heading("Fit");
  flags.text("--method", "M", method, "temperature, platt, beta or isotonic");
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
  VoxelFit fit(method);
  check_fit_options(method, options);
  if (f.foreground)
    throw InputError(
        "--foreground chooses voxels by their votes, which would bias the fit; use --predicted or a roi");
  const CaseInputs cases = open_cases(f, options.threads);
  check_outputs({{"-o", out}}, cases.paths);
  AtomicFile file(out);
  {
    ProgressBar bar(!quiet);
    const auto tell = bar.callback();
    for (std::int64_t i = 0; i < std::ssize(cases.names); ++i) {
      try {
        fit.add(cases.read(i).items, options.threads);
      } catch (const InputError& e) {
        throw InputError("case " + cases.names[i] + ": " + e.sentence());
      }
      if (tell) tell(static_cast<double>(i + 1) / static_cast<double>(cases.names.size()));
    }
  }
  FittedModel fitted = fit.fit(options);
  if (cases.manifest.logits) fitted.model.input = "logits";
  for (const ManifestCase& c : cases.manifest.cases)
    fitted.model.fitted_on.push_back(sha256_file(c.probs.path));
  file.write(model_text(fitted.model));
  file.commit();
  if (!quiet) write_stdout(render_fit({fitted.model, fit_scores(fitted, options), {}}, stdout_look()));
  return kDone;
}

}  // namespace plumb::cli
