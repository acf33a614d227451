// `plumb calibrate fit --method risk-control`: the threshold of a mask that misses little.
#include "calibrate.hpp"
#include "case_flags.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/risk_control.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/nothing_left.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kRiskExamples = R"(Examples:
  masks that find on average 90% of what raters mark in a new case
    plumb calibrate fit --method risk-control --manifest val.csv --levels 0.9 -o mask.json
  the same from arrays: a row for each voxel, the case of each row as its group
    plumb calibrate fit --method risk-control --probs val.npy --ratings votes.npy --groups voxels.csv:case -o mask.json
    plumb calibrate apply mask.json --probs test.npy -o mask.npy)";

struct RiskFlags {
  InputFlags inputs;
  CaseFlags cases;
  std::string method, out;
  Args levels;
  std::int64_t threads = 0;
  bool quiet = false;
};

struct RiskData {
  RiskControl control;
  bool logits = false;
  std::vector<std::string> class_names, paths, notes, digests;
};

RiskData from_manifest(const RiskFlags& f) {
  RiskData out;
  if (f.cases.foreground || f.cases.predicted)
    throw InputError(
        "--foreground and --predicted leave out voxels that raters may mark, which would count as found; leave out the flag");
  const CaseInputs cases = open_cases(f.cases, narrow<int>(f.threads));
  out.paths = cases.paths;
  out.logits = cases.manifest.logits;
  ProgressBar bar(!f.quiet);
  const auto progress = bar.callback();
  for (std::int64_t i = 0; i < std::ssize(cases.names); ++i) {
    try {
      const Case one = cases.read(i);
      out.class_names = one.items.class_names;
      out.control.add_case(one.items);
    } catch (const NothingLeft&) {
      throw;
    } catch (const InputError& e) {
      throw InputError("case " + cases.names[i] + ": " + e.sentence());
    }
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(cases.names.size()));
  }
  return out;
}

RiskData from_arrays(const RiskFlags& f) {
  RiskData out;
  const Inputs inputs = load_inputs(f.inputs, narrow<int>(f.threads));
  if (inputs.items.groups.empty())
    throw InputError(
        "--method risk-control promises something for a new case; name the case of each row with --groups");
  out.control.add_groups(inputs.items);
  out.logits = gives_logits(inputs.items.predictions);
  out.class_names = inputs.items.class_names;
  out.paths = inputs.paths;
  out.notes = inputs.notes;
  out.digests = prediction_digests(inputs);
  return out;
}

}  // namespace

bool is_risk_fit(const Args& args) {
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i] == "--method=risk-control" ||
        (args[i] == "--method" && i + 1 < args.size() && args[i + 1] == "risk-control"))
      return true;
  return false;
}

int calibrate_fit_risk(const Args& args) {
  Flags flags(
      "calibrate fit --method risk-control",
      "Finds the probability from which voxels are marked, so that on average the mask of a new case\n"
      "contains at least the share of the votes for class 1 that each level names.");
  RiskFlags f;
  const bool by_case = has_manifest_flags(args);
  if (by_case) {
    add_case_flags(flags, f.cases, {.layouts = true, .arrays = true});
  } else {
    add_answer_flags(flags, f.inputs);
  }
  flags.heading("Fit");
  flags.text("--method", "M", f.method, "risk-control");
  flags.list("--levels", "x,x", f.levels, "shares of the votes for class 1 that a mask must find [0.9]");
  flags.integer("--threads", f.threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", f.out, "the model file");
  flags.toggle("--quiet", f.quiet, "print no summary and no progress");
  flags.examples(kRiskExamples);
  if (!flags.parse(args)) return kDone;
  if (f.out.empty()) throw InputError("no output file given; name the model file with -o mask.json");
  check_threads(f.threads);
  std::vector<double> levels;
  for (const std::string& text : f.levels) {
    const std::optional<double> x = number_of(text);
    if (!x) throw InputError("--levels takes numbers such as 0.8,0.9, not \"" + text + "\"");
    levels.push_back(*x);
  }
  if (levels.empty()) levels = {0.9};
  const RiskData data = by_case ? from_manifest(f) : from_arrays(f);
  check_outputs({{"-o", f.out}}, data.paths);
  CalibrationModel model;
  model.input = data.logits ? "logits" : "probabilities";
  model.task = "binary";
  model.classes = 2;
  model.class_names = data.class_names;
  model.version = version();
  model.fitted_on = data.digests;
  model.steps.push_back(data.control.step(levels));
  write_file(f.out, model_text(model));
  if (f.quiet) return kDone;
  const Step& step = model.steps.back();
  std::string text = "thresholds fitted on " + counted(data.control.cases(), "case") + " and " +
                     counted(step.fit.votes, "vote") + "\n";
  const auto thresholds = vector_parameter(step, "threshold");
  for (std::size_t l = 0; l < levels.size(); ++l)
    text += "  marked from a probability of " + show(thresholds[l]) +
            ", the mask of a new case finds on average " + show(levels[l]) +
            " or more of the votes for class 1, if new and old cases are exchangeable\n";
  for (const std::string& warning : step.fit.warnings) text += "Warning: " + warning + "\n";
  for (const std::string& note : data.notes) text += "Note: " + note + ".\n";
  write_stdout(text);
  write_stdout(next_command("Make the masks of new data, in place of NEW:",
                            {"plumb calibrate apply", shell_word(f.out), "--probs NEW", "-o masks.npy"}));
  return kDone;
}

}  // namespace plumb::cli
