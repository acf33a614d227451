// `plumb calibrate fit --states`: a calibrator of data that no machine has all of.
#include "calibrate.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "plumb/calibrate/voxel_fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/model/fit_scores.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/calibrate.hpp"
#include "shell/console.hpp"
#include "state_files.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  plumb evaluate --probs probs-1.npy --labels labels-1.npy --save-state 1.plumb
  plumb evaluate --probs probs-2.npy --labels labels-2.npy --save-state 2.plumb
  plumb calibrate fit --states 1.plumb 2.plumb --method platt -o model.json
Any split of the rows gives the same model. Rows with equal forecasts are one item with many votes; above 65,536
distinct forecasts the fit is made on a fine grid of log-odds.)";

}  // namespace

int calibrate_fit_states(const Args& args) {
  Flags flags("calibrate fit",
              "Fits a calibrator of two classes on the states that \"plumb evaluate --save-state\" wrote.");
  Args specs;
  FitOptions options;
  std::string method, out, prior;
  std::int64_t threads = 0;
  bool quiet = false;
  flags.files("--states", "FILE", specs, "state files, or quoted patterns");
  flags.text("--method", "M", method, "temperature, platt, beta or isotonic");
  flags.text("--prior-votes", "X", prior,
             "pseudo-votes that shrink the fit towards the original predictions");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", out, "the model file");
  flags.toggle("--quiet", quiet, "print no summary and no progress");
  flags.examples(kExamples);
  if (!flags.parse(args)) return kDone;
  if (method.empty()) throw InputError("no method given; name one with --method, for example platt");
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
  const std::vector<std::string> paths = state_paths(specs);
  check_outputs({{"-o", out}}, paths);
  AtomicFile file(out);
  const EvaluateState state = merged_states(paths, deserialize_state);
  if (state.classes != 2)
    throw InputError(
        "the states have " + counted(state.classes, "class") +
        ", and a state keeps the distribution of the forecasts of two; fit on a sample of the data");
  if (!state.ladder)
    throw InputError(
        "the states have weights, so that they do not keep the distribution of the forecasts; save them without --weights");
  if (state.ladder->votes() == 0) throw InputError("the states have no votes, so there is nothing to fit on");
  fit.add(*state.ladder, narrow<std::int64_t>(state.items), state.class_names);
  FittedModel fitted = fit.fit(options);
  const std::vector<BeforeAfter> scores = fit_scores(fitted, options);
  if (state.logits) fitted.model.input = "logits";
  file.write(model_text(fitted.model));
  file.commit();
  if (!quiet) write_stdout(render_fit({fitted.model, scores, {}, false}, stdout_options()));
  return kDone;
}

}  // namespace plumb::cli
