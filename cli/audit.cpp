// plumb audit: every slice by itself and against all other items.
#include "plumb/evaluate/audit.hpp"

#include <algorithm>

#include "calibrate.hpp"
#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/slicing.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kAuditExamples = R"(Examples:
  does the model hold in every site and for both sexes?
    plumb audit --probs cohort.csv:p --labels cohort.csv:y --by cohort.csv:site --by cohort.csv:sex
  ages in quarters, and all pairs of two ways to slice
    plumb audit --probs cohort.csv:p --labels cohort.csv:y --by cohort.csv:age --by cohort.csv:sex --cut age=quantile4 --cross 2
  patients with several visits; a page with a forest plot
    plumb audit --probs visits.csv:p --labels visits.csv:y --groups visits.csv:patient --by visits.csv:site --report audit.html
Each slice is evaluated as a test set of its own and compared with all other items. Intervals of differences hold for all slices of a metric at once.)";

struct AuditFlags {
  InputFlags inputs;
  EvaluateFlags how;
  Args cuts;
  std::int64_t cross = AuditOptions{}.cross, min_items = AuditOptions{}.min_items;
  std::string rank = AuditOptions{}.rank, calibrator, one_class;
  OutputFlags output;
  AuditFlags() { how.bootstrap = kAuditReplicates; }
};

void add_audit_flags(Flags& flags, AuditFlags& f) {
  add_input_flags(flags, f.inputs);
  flags.text("--calibrator", "FILE", f.calibrator,
             "model file from plumb calibrate fit, applied to the predictions first");
  add_one_class_flag(flags, f.one_class);
  flags.heading("Slices");
  flags.repeated(
      "--cut", "NAME=quantile4", f.cuts,
      "cut the numbers of --by FILE:NAME into parts of equal size, or at numbers, as in age=40,65; repeatable");
  flags.integer("--cross", f.cross, "also slice by intersections of up to so many ways");
  flags.integer("--min-items", f.min_items, "a slice with fewer items is listed, not compared");
  flags.text("--rank", "KEY", f.rank, "the metric that slices are ranked by");
  add_evaluate_flags(flags, f.how);
  add_null_flag(flags, f.how);
  flags.heading("Output");
  flags.text("--json", "FILE", f.output.json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, f.output.pages);
  flags.text("--name", "NAME", f.output.name, "name of the model in results and reports");
  flags.text("--title", "TEXT", f.output.pages.title, "title of the page");
  flags.repeated("--fail-if", "\"ece>0.05\"", f.output.fail_if,
                 "exit with code 3 if this holds for all items together; repeatable");
  flags.toggle("--quiet", f.output.quiet, "print no table and no progress");
  flags.examples(kAuditExamples);
}

/// The ways that are cut in place of their numbers.
void cut_ways(const Args& cuts, std::vector<Names>& ways) {
  for (const std::string& text : cuts) {
    const Cut cut = parse_cut(text, "--cut");
    const auto way =
        std::find_if(ways.begin(), ways.end(), [&](const Names& n) { return n.title() == cut.name; });
    if (way == ways.end()) {
      Args known;
      for (const Names& n : ways) known.push_back(n.title());
      throw InputError("--cut " + text + ": no --by is called \"" + cut.name + "\"" +
                       did_you_mean(cut.name, known) +
                       "; it takes the name of a column or of a file that --by gives");
    }
    *way = cut_names(*way, cut);
  }
}

}  // namespace

int audit_command(const Args& args) {
  Flags flags(
      "audit",
      "Does the model hold in every subgroup? Each slice by itself and against all other items.\n"
      "A FILE is .npy, .npz:array, .csv:column or .csv:a,b; several files or a quoted pattern are shards.");
  AuditFlags f;
  add_audit_flags(flags, f);
  if (!flags.parse(args)) return kDone;
  AuditOptions options;
  options.evaluate = checked_options(f.how);
  options.cross = between("--cross", f.cross, 1, 8);
  options.min_items = f.min_items;
  options.rank = f.rank;
  Output output(f.output);
  output.check_reach(options.evaluate.bootstrap);
  Inputs inputs = load_inputs(f.inputs, options.evaluate.threads);
  cut_ways(f.cuts, inputs.items.by);
  std::string notice;
  if (!f.calibrator.empty()) notice = apply_calibrator(f.calibrator, options.evaluate.threads, inputs);
  take_one_class(f.one_class, inputs.items);
  output.check_not_over(inputs.paths);
  output.open();
  Result result;
  {
    ProgressBar bar(!f.output.quiet);
    options.evaluate.progress = bar.callback();
    result = audit(inputs.items, options);
  }
  result.argv = argv_of("audit", args);
  add_input_record(inputs, result);
  if (!f.calibrator.empty()) result.settings.emplace_back("calibrator", f.calibrator);
  if (!f.one_class.empty()) result.settings.emplace_back("one_vs_rest", f.one_class);
  if (!f.cuts.empty()) result.settings.emplace_back("cut", f.cuts);
  if (!notice.empty()) result.notes.push_back(notice);
  output.pages().add_checksums(result.inputs, inputs.paths);
  return output.finish(result, "", !options.evaluate.metrics.empty());
}

}  // namespace plumb::cli
