// `plumb compare --manifest`: models on the same cases.
#include <algorithm>
#include <map>

#include "case_flags.hpp"
#include "commands.hpp"
#include "compare_gates.hpp"
#include "evaluate_flags.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "pages.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/case_compare.hpp"
#include "plumb/evaluate/cases.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/compare.hpp"
#include "plumb/report/json.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kCompareCasesExamples = R"(Examples:
  is the calibrated version better on the same cases?
    plumb compare --manifest raw=cases.csv --manifest calibrated=calibrated/manifest.csv --figure reliability.pdf
  two networks of nnU-Net, each in a folder with its predictions and the masks
    plumb compare --layout nnunet small=Dataset7 large=Dataset8
  two models in arrays of many images
    plumb compare --axes NHW --probs small=a.npy --probs large=b.npy --ratings masks.npy
Each replicate draws the same cases (or groups) for all models.)";

struct CompareCasesFlags {
  Args manifests, folders, fail_if;
  /// What names the models, each as NAME=PATH.
  [[nodiscard]] const Args& models() const {
    if (!cases.axes.empty()) return cases.logits.empty() ? cases.probs : cases.logits;
    return cases.layout == "none" ? manifests : folders;
  }
  [[nodiscard]] std::string models_flag() const {
    return cases.axes.empty() ? cases.source_flag() : cases.logits.empty() ? "--probs" : "--logits";
  }
  std::string reference, json;
  CaseFlags cases;
  EvaluateFlags how;
  PageFlags pages;
  bool quiet = false;
  CompareCasesFlags() { how.bootstrap = kCompareReplicates; }
};

void add_flags(Flags& flags, CompareCasesFlags& f) {
  flags.heading("The models (two or more)");
  flags.repeated("--manifest", "NAME=FILE", f.manifests,
                 "a manifest of each model, with the same cases and masks; repeatable");
  add_layout_flag(flags, f.cases);
  flags.positional("NAME=DIR", f.folders, "with --layout: a folder of each model");
  add_array_flags(flags, f.cases, "NAME=FILE", "of each model; repeatable");
  flags.exclusive({"--manifest", "--layout", "--axes"});
  flags.text("--reference", "NAME", f.reference,
             "the model to compare the others with; by default all pairs are tested");
  add_case_file_flags(flags, f.cases, {.structures = true});
  add_evaluate_flags(flags, f.how);
  flags.heading("Output");
  flags.text("--json", "FILE", f.json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, f.pages);
  flags.repeated(
      "--fail-if", "\"nll>0.01\"", f.fail_if,
      "exit with code 3 if this holds for a pooled difference from the reference; NAME.verdict!=trustworthy for the verdict on a model; repeatable");
  flags.toggle("--quiet", f.quiet, "print no table and no progress");
  flags.examples(kCompareCasesExamples);
}

struct OpenModel {
  NamedFile given;
  CaseInputs inputs;
  std::vector<std::int64_t> row;  ///< of each case of the first model
};

/// The same cases in any order.
void match_cases(const OpenModel& first, OpenModel& other) {
  std::map<std::string, std::int64_t> at;
  for (std::int64_t i = 0; i < std::ssize(other.inputs.names); ++i) at[other.inputs.names[i]] = i;
  for (const std::string& name : first.inputs.names) {
    const auto found = at.find(name);
    if (found == at.end())
      throw InputError("case " + name + " is in " + first.given.path + " but not in " + other.given.path +
                       "; a comparison needs the same cases of every model");
    other.row.push_back(found->second);
    at.erase(found);
  }
  if (!at.empty())
    throw InputError("case " + at.begin()->first + " is in " + other.given.path + " but not in " +
                     first.given.path + "; a comparison needs the same cases of every model");
  if (other.inputs.manifest.grouped != first.inputs.manifest.grouped)
    throw InputError("only one of " + first.given.path + " and " + other.given.path +
                     " has a column group; give both the same groups");
}

std::vector<OpenModel> open_models(const CompareCasesFlags& f, int threads) {
  std::vector<OpenModel> out;
  for (const std::string& text : f.models()) {
    CaseFlags own = f.cases;
    OpenModel m{named_file(f.models_flag(), text), {}, {}};
    if (!own.axes.empty()) {
      (own.logits.empty() ? own.probs : own.logits) = {m.given.path};
    } else if (own.layout != "none") {
      own.folder = {m.given.path};
    } else {
      own.manifest = m.given.path;
    }
    m.inputs = open_cases(own, threads);
    match_cases(out.empty() ? m : out.front(), m);
    out.push_back(std::move(m));
  }
  return out;
}

void check_models(const CompareCasesFlags& f) {
  const bool arrays = !f.cases.axes.empty(), folders = f.cases.layout != "none";
  if (!folders && !f.folders.empty())
    throw InputError("\"" + f.folders.front() +
                     "\" is not a flag; give folders together with --layout nnunet or bids");
  if (!arrays) check_no_arrays(f.cases);
  if (f.models().size() < 2)
    throw InputError("a comparison needs two models or more; give " +
                     std::string(folders  ? "a folder of each as NAME=DIR"
                                 : arrays ? "the array of each with --probs NAME=FILE"
                                          : "each with --manifest NAME=FILE"));
}

void add_compare_settings(const EvaluateOptions& o, const CaseComparison& c, Result& result) {
  result.classes = c.pooled.classes;
  result.task = result.classes == 2 ? "binary" : "multiclass";
  result.items = c.pooled.items;
  result.votes = c.pooled.votes;
  result.settings = {{"bins", std::int64_t{o.bins}},
                     {"binning", std::string("width")},
                     {"clip", o.clip},
                     {"bootstrap", std::int64_t{o.bootstrap}},
                     {"level", o.level},
                     {"tolerance", o.tolerance},
                     {"seed", o.seed},
                     {"leave_out", std::string(o.leave_out == LeaveOut::vote ? "vote" : "item")},
                     {"cases", c.means.items},
                     {"unit", c.pooled.unit}};
  result.notes = c.pooled.notes;
  result.sections.emplace_back("compare", compare_section(c.pooled));
  result.sections.emplace_back("compare_cases", compare_section(c.means));
}

/// The page shows the models themselves beside their differences; the cases are read again for it.
void write_case_comparison(Pages& pages, std::span<const std::string> names,
                           const std::vector<CaseModel>& models, const CasesOptions& options,
                           const Result& compared) {
  std::vector<NamedResult> results;
  for (const CaseModel& m : models) {
    Result r = evaluate_cases(names, m.read, options);
    r.argv = compared.argv;
    r.inputs = compared.inputs;
    results.push_back({m.name, render_json(r)});
  }
  results.push_back({models.front().name, render_json(compared)});
  pages.finish(results);
}

}  // namespace

int compare_manifest_command(const Args& args) {
  Flags flags(
      "compare",
      "Two or more models on the same cases: pooled metrics and means over cases side by side, with paired differences.\nTwo cases are in memory at a time.");
  CompareCasesFlags f;
  add_flags(flags, f);
  if (!flags.parse(args)) return kDone;
  CasesOptions options;
  EvaluateOptions& o = options.evaluate;
  o = checked_options(f.how);
  if (f.cases.predicted || f.cases.foreground)
    throw InputError(std::string(f.cases.predicted ? "--predicted" : "--foreground") +
                     " would select different voxels for each model; draw a region beforehand (column roi)");
  if (flags.given("--bandwidth"))
    throw InputError("--bandwidth has no effect over cases, where kernel estimators are not compared");
  check_models(f);
  const std::vector<Gate> gates = parse_gates(f.fail_if);
  Args names;
  for (const std::string& text : f.models()) names.push_back(named_file(f.models_flag(), text).name);
  check_compare_gates(gates, names, f.reference, o.bootstrap);
  Pages pages(f.pages);
  const std::vector<OpenModel> open = open_models(f, o.threads);
  options.grouped = open.front().inputs.manifest.grouped;
  std::vector<std::string> paths;
  std::vector<CaseModel> models;
  for (const OpenModel& m : open) {
    paths.insert(paths.end(), m.inputs.paths.begin(), m.inputs.paths.end());
    models.push_back({m.given.name, [&m](std::int64_t i) { return m.inputs.read(m.row[i]); }});
  }
  check_outputs(pages.with_outputs({{"--json", f.json}}), paths);
  std::optional<AtomicFile> file;
  if (!f.json.empty() && f.json != "-") file.emplace(f.json);
  pages.open();
  CaseComparison c;
  {
    ProgressBar bar(!f.quiet);
    o.progress = bar.callback();
    c = compare_cases(open.front().inputs.names, models, options, f.reference);
    o.progress = {};
  }
  Result result = result_of("compare", args);
  add_compare_settings(o, c, result);
  add_case_settings(f.cases, open.front().inputs, result);
  for (std::size_t i = 1; i < open.size(); ++i)
    result.inputs.push_back(
        {f.cases.source_flag(), open[i].given.path, {std::ssize(open[i].inputs.names)}, "text", ""});
  const std::vector<std::string> held =
      gates_that_hold(gates, gated_differences(c.pooled),
                      {.what = "the difference of ",
                       .judged_model = [&](std::string_view name) { return c.pooled.verdict_of(name); },
                       .replicates = o.bootstrap});
  if (pages.wanted()) write_case_comparison(pages, open.front().inputs.names, models, options, result);
  if (file) {
    file->write(render_json(result));
    file->commit();
  }
  print_result(result, f.json, f.quiet, [&] {
    const TerminalOptions look = stdout_options(!o.metrics.empty());
    return render_compare(c.pooled, o.level, look) + "\n" + render_case_means(c.means, o.level, look);
  });
  return exit_code(held);
}

}  // namespace plumb::cli
