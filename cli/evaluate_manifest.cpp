// `plumb evaluate --manifest`: cases one after the other.
#include <charconv>

#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/cases.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/io/case_files.hpp"
#include "plumb/report/cases.hpp"
#include "shell/console.hpp"
#include "shell/program.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kManifestExamples = R"(Examples:
  cases.csv has the columns case, probs, rater_1, rater_2; files are .nii.gz, .png, .npy or .npz
    plumb evaluate --manifest cases.csv --bootstrap 200 --per-case cases-out.csv
  masks of 0 and 255; unlabelled voxels are 127
    plumb evaluate --manifest cases.csv --classes 0,255 --ignore-label 127
  only where the model sees something; results by scanner
    plumb evaluate --manifest cases.csv --predicted --by scanner)";

struct ManifestFlags {
  std::string manifest, per_case, class_axis = "by-shape", ignore_label, on_error = "stop";
  Args classes, by;
  double full_scale = 1;
  bool foreground = false, predicted = false, normalize = false;
};

void add_manifest_flags(Flags& flags, ManifestFlags& f) {
  flags.heading("Cases");
  flags.text(
      "--manifest", "FILE", f.manifest,
      "a table with a row for each case: case, probs (or logits), rater_1, rater_2, ..., and if there are any roi, group and further columns");
  flags.choice("--class-axis", {"by-shape", "first", "last"}, f.class_axis,
               "where the classes stand in probabilities of several; by-shape: the only axis that fits");
  flags.list("--classes", "a,b,c", f.classes, "names of the classes; numbers are the values in the masks");
  flags.text("--ignore-label", "VALUE", f.ignore_label, "a value in the masks that is no vote");
  flags.number("--full-scale", f.full_scale, "the stored number that means probability 1");
  flags.toggle("--normalize", f.normalize, "rescale probabilities of several classes to sum 1");
  flags.toggle("--foreground", f.foreground,
               "only voxels where the model or a rater says another class than the first");
  flags.toggle("--predicted", f.predicted, "only voxels where the model does");
  flags.exclusive({"--foreground", "--predicted"});
  flags.list("--by", "column,...", f.by, "columns of the manifest to report on");
  flags.choice("--on-error", {"stop", "skip"}, f.on_error, "what to do with a case that cannot be read");
  flags.text("--per-case", "FILE", f.per_case, "a table with a row for each case, as CSV");
}

CaseFileOptions file_options(const ManifestFlags& f, const Manifest& manifest, int threads) {
  CaseFileOptions o;
  o.scale = manifest.logits ? Scale::logit : Scale::probability;
  o.predictions.normalize = f.normalize;
  if (f.class_axis != "by-shape") o.class_axis = f.class_axis == "first" ? ClassAxis::first : ClassAxis::last;
  if (!(f.full_scale > 0)) throw InputError("--full-scale must be above 0");
  o.full = f.full_scale;
  o.classes = f.classes;
  o.foreground = f.foreground;
  o.predicted = f.predicted;
  o.threads = threads;
  if (!f.ignore_label.empty()) {
    double v = 0;
    const char* const end = f.ignore_label.data() + f.ignore_label.size();
    const auto [at, error] = std::from_chars(f.ignore_label.data(), end, v);
    if (error != std::errc() || at != end)
      throw InputError("--ignore-label takes a number, not \"" + f.ignore_label + "\"");
    o.ignore = v;
  }
  return o;
}

std::vector<std::string> input_paths(const Manifest& manifest) {
  std::vector<std::string> out{manifest.path};
  for (const ManifestCase& c : manifest.cases) {
    out.push_back(c.probs.path);
    for (const auto& [column, source] : c.raters) out.push_back(source.path);
    if (!c.roi.path.empty()) out.push_back(c.roi.path);
  }
  return out;
}

void add_file_settings(const ManifestFlags& f, Result& result) {
  auto& s = result.settings;
  s.emplace_back("class_axis", f.class_axis);
  s.emplace_back("full_scale", f.full_scale);
  s.emplace_back("voxels", std::string(f.foreground  ? "foreground of the model or a rater"
                                       : f.predicted ? "foreground of the model"
                                                     : "all"));
  s.emplace_back("ignore_label", f.ignore_label.empty() ? Value{} : Value(f.ignore_label));
  s.emplace_back("on_error", f.on_error);
}

}  // namespace

bool speaks_of_manifest(const Args& args) {
  for (const std::string& arg : args)
    if (arg == "--manifest" || arg.starts_with("--manifest=")) return true;
  return false;
}

int evaluate_manifest_command(const Args& args) {
  Flags flags(
      "evaluate",
      "Can the probabilities of a segmentation be trusted? All voxels together, each case, each rater.\n"
      "One case is in memory at a time.");
  ManifestFlags f;
  EvaluateFlags evaluate_flags;
  OutputFlags output_flags;
  add_manifest_flags(flags, f);
  add_evaluate_flags(flags, evaluate_flags);
  add_output_flags(flags, output_flags);
  flags.examples(kManifestExamples);
  if (!flags.parse(args)) return kDone;

  CasesOptions options;
  options.evaluate = checked_options(evaluate_flags);
  options.by = f.by;
  options.chosen_by_votes = f.foreground;
  options.skip_errors = f.on_error == "skip";
  Output output(output_flags);
  const Manifest manifest = read_manifest(f.manifest, f.by, !options.skip_errors);
  options.grouped = manifest.grouped;
  const CaseFileOptions files = file_options(f, manifest, options.evaluate.threads);
  const std::vector<std::string> paths = input_paths(manifest);
  output.check_not_over(paths);
  check_outputs(
      {{"--per-case", f.per_case}, {"--json", output_flags.json}, {"--save-state", output_flags.save_state}},
      paths);
  output.open();
  std::optional<AtomicFile> per_case;
  if (!f.per_case.empty()) per_case.emplace(f.per_case);
  std::vector<std::string> names;
  for (const ManifestCase& c : manifest.cases) names.push_back(c.name);
  const auto read = [&](std::int64_t i) {
    const ManifestCase& row = manifest.cases[i];
    CaseItems c = read_case(row, files);
    return Case{row.name,           row.group.empty() ? row.name : row.group,
                row.slices,         std::move(c.raters),
                std::move(c.items), c.voxel_mm3};
  };
  EvaluateState state;
  Result result;
  {
    ProgressBar bar(!output_flags.quiet);
    options.evaluate.progress = bar.callback();
    result = evaluate_cases(names, read, options, output_flags.save_state.empty() ? nullptr : &state);
  }
  result.argv = argv_of("evaluate", args);
  result.inputs.push_back({"--manifest", manifest.path, {std::ssize(names)}, "text", ""});
  add_file_settings(f, result);
  if (per_case) {
    per_case->write(cases_csv(result));
    per_case->settle();
  }
  const std::string table = render_cases(result);
  const int code = output.finish(result, output_flags.save_state.empty() ? "" : serialize(state),
                                 !options.evaluate.metrics.empty());
  if (per_case) per_case->commit();
  if (!output_flags.quiet && output_flags.json != "-") write_stdout(table);
  return code;
}

}  // namespace plumb::cli
