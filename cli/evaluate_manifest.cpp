// `plumb evaluate --manifest`: cases one after the other.
#include "case_store.hpp"
#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/report/cases.hpp"
#include "shell/program.hpp"
#include "shell/progress.hpp"
#include "worst_cases.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kManifestExamples = R"(Examples:
  cases.csv has the columns case, probs, rater_1, rater_2; files are .nii.gz, .png, .npy or .npz
    plumb evaluate --manifest cases.csv --bootstrap 200 --per-case cases-out.csv
  masks of 0 and 255; unlabelled voxels are 127
    plumb evaluate --manifest cases.csv --classes 0,255 --ignore-label 127
  many large volumes: give the same command again if it was interrupted
    plumb evaluate --manifest cases.csv --bootstrap 200 --resume run.plumb --json out.json
  folders predictions/ and labels_anna/, labels_ben/ of nnU-Net in one folder
    plumb evaluate --layout nnunet Dataset7 --bootstrap 200
  arrays of many images, cases x height x width (x classes), with the masks of two raters
    plumb evaluate --axes NHWK --probs probs.npy --ratings anna.npy --ratings ben.npy
  only voxels predicted as foreground; results by scanner
    plumb evaluate --manifest cases.csv --predicted --by scanner)";

}  // namespace

int evaluate_manifest_command(const Args& args) {
  Flags flags(
      "evaluate",
      "Can the probabilities of a segmentation be trusted? All voxels together, each case, each rater.\n"
      "One case is in memory at a time.");
  CaseFlags f;
  std::string per_case_path, resume;
  EvaluateFlags evaluate_flags;
  OutputFlags output_flags;
  add_case_flags(
      flags, f,
      {.structures = true, .slices = true, .skip = true, .regions = true, .layouts = true, .arrays = true});
  flags.text("--per-case", "FILE", per_case_path, "a table with a row for each case: .csv or .parquet");
  flags.text("--resume", "FILE", resume,
             "keep the sums of finished cases in FILE, so that a second run reads only the others");
  add_evaluate_flags(flags, evaluate_flags);
  add_output_flags(flags, output_flags);
  flags.examples(kManifestExamples);
  if (!flags.parse(args)) return kDone;

  CasesOptions options;
  options.evaluate = checked_options(evaluate_flags);
  options.by = f.by;
  options.chosen_by_votes = f.foreground;
  options.skip_errors = f.skips();
  options.regions = f.regions || f.band > 0;
  Output output(output_flags);
  const CaseInputs cases = open_cases(f, options.evaluate.threads);
  options.grouped = cases.manifest.grouped;
  output.check_not_over(cases.paths);
  check_outputs({{"--per-case", per_case_path},
                 {"--json", output_flags.json},
                 {"--save-state", output_flags.save_state},
                 {"--resume", resume}},
                cases.paths);
  output.open();
  std::optional<TableTextFile> per_case;
  if (!per_case_path.empty()) per_case.emplace(per_case_path);
  const bool keep_state = !output_flags.save_state.empty();
  options.store = open_case_store(resume, f, evaluate_flags, keep_state, cases);
  EvaluateState state;
  Result result;
  {
    ProgressBar bar(!output_flags.quiet);
    options.evaluate.progress = bar.callback();
    result = evaluate_cases(
        cases.names, [&](std::int64_t i) { return cases.read(i); }, options, keep_state ? &state : nullptr);
  }
  result.argv = argv_of("evaluate", args);
  add_case_settings(f, cases, result);
  if (!output_flags.pages.report.empty() || !output_flags.pages.pdf.empty()) add_worst_cases(cases, result);
  if (per_case) {
    per_case->write(cases_csv(result));
    per_case->settle();
  }
  const int code =
      output.finish(result, keep_state ? serialize(state) : "", !options.evaluate.metrics.empty());
  if (per_case) per_case->commit();
  return code;
}

}  // namespace plumb::cli
