#include "plumb/evaluate/compare.hpp"

#include <algorithm>
#include <set>

#include "case_flags.hpp"
#include "commands.hpp"
#include "compare_gates.hpp"
#include "evaluate_flags.hpp"
#include "inputs.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/compare.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/results.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kCompareExamples = R"(Examples:
  is the calibrated version better, and is that more than chance?
    plumb compare --model raw=raw.npy --model calibrated=calibrated.npy --labels labels.npy
  logits; patients as the unit; every metric
    plumb compare --model-logits a=a.npy --model-logits b=b.npy --counts votes.npy --groups items.csv:patient --metrics all
Each replicate draws the same items for all models. p-values are two-sided; adjusted ones account for all metrics and models compared.)";

using Model = NamedFile;

/// In the order of the command line, whichever of the two flags gave them.
std::vector<Model> models_of(const Args& args) {
  std::vector<Model> out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    for (const std::string flag : {"--model", "--model-logits"}) {
      if (args[i] == flag && i + 1 < args.size()) out.push_back(named_file(flag, args[i + 1]));
      if (args[i].starts_with(flag + "=")) out.push_back(named_file(flag, args[i].substr(flag.size() + 1)));
    }
  }
  return out;
}

struct CompareFlags {
  Args models, model_logits, fail_if;
  std::string reference;
  InputFlags inputs;
  EvaluateFlags how;
  std::string json, one_class;
  PageFlags pages;
  bool quiet = false;
  CompareFlags() { how.bootstrap = kCompareReplicates; }
};

void add_compare_flags(Flags& flags, CompareFlags& f) {
  flags.heading("The models (two or more)");
  flags.repeated("--model", "NAME=FILE", f.models, "probabilities, N x K, or N for P(class 1); repeatable");
  flags.repeated("--model-logits", "NAME=FILE", f.model_logits, "the same as logits; repeatable");
  for (const char* flag : {"--probs", "--logits"})
    flags.unavailable(flag, std::string(flag) + " is for one model; compare takes each as " +
                                (flag == std::string("--probs") ? "--model" : "--model-logits") +
                                " NAME=FILE, as in \"plumb compare --model old=a.npy --model new=b.npy\"");
  flags.text(
      "--reference", "NAME", f.reference,
      "the model to compare the others with; by default all pairs are tested, and differences from the first are shown");
  flags.toggle("--normalize", f.inputs.predictions.normalize, "rescale rows of probabilities to sum to 1");
  add_vote_flags(flags, f.inputs);
  flags.files("--truth", "FILE", f.inputs.truth, "N true probabilities of class 1, when known");
  add_one_class_flag(flags, f.one_class);
  add_evaluate_flags(flags, f.how);
  flags.heading("Output");
  flags.text("--json", "FILE", f.json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, f.pages);
  flags.repeated(
      "--fail-if", "\"nll>0.01\"", f.fail_if,
      "exit with code 3 if this holds for a difference from the reference (by default the first model); NAME.nll with more than two models; NAME.verdict!=trustworthy for the verdict on a model; repeatable");
  flags.toggle("--quiet", f.quiet, "print no table and no progress");
  flags.examples(kCompareExamples);
}

InputFlags with_model(InputFlags inputs, const Model& m) {
  (m.flag == "--model-logits" ? inputs.logits : inputs.probs) = {m.path};
  return inputs;
}

void rename_flag(const Model& m, Inputs& inputs) {
  for (InputInfo& info : inputs.infos)
    if (info.flag == "--probs" || info.flag == "--logits") info.flag = m.flag;
}

// The page shows the models themselves beside their differences.
void write_comparison(Pages& pages, const std::vector<NamedModel>& models, EvaluateOptions o,
                      const Result& compared) {
  std::vector<NamedResult> results;
  o.sample_items = kSampleItems;
  for (const NamedModel& m : models) {
    Result r = evaluate(m.items, o);
    r.argv = compared.argv;
    r.inputs = compared.inputs;
    results.push_back({m.name, render_json(r)});
  }
  results.push_back({models.front().name, render_json(compared)});
  pages.finish(results);
}

/// The page first; with it, the first model by itself.
std::string compare_advice(const Args& args, const EvaluateOptions& o, const CompareFlags& f) {
  if (!f.fail_if.empty()) return "";
  if (f.pages.report.empty() && f.json != "compare.html") {
    Args parts = argument_parts(args, [](const std::string& flag) { return flag != "--json"; });
    parts.insert(parts.begin(), "plumb compare");
    parts.emplace_back("--report compare.html");
    return next_command("See the models side by side, with their reliability diagrams:", parts);
  }
  static const std::set<std::string> kOwn{"--model", "--model-logits", "--reference", "--metrics",
                                          "--json",  "--report",       "--plots",     "--title",
                                          "--quiet", "--bootstrap"};
  Args parts = argument_parts(args, [](const std::string& flag) { return !kOwn.contains(flag); });
  const Model model = models_of(args).front();
  parts.insert(parts.begin(), {"plumb evaluate", (model.flag == "--model-logits" ? "--logits " : "--probs ") +
                                                     shell_word(model.path)});
  parts.push_back("--bootstrap " + std::to_string(std::max(o.bootstrap, 1)));
  return next_command("Evaluate " + model.name + " by itself:", parts);
}

}  // namespace

int compare_command(const Args& args) {
  if (has_manifest_flags(args)) return compare_manifest_command(args);
  if (!args.empty() && !args[0].starts_with('-') && args[0].find('=') != std::string::npos)
    throw InputError("each model is given by a flag: --model " + args[0] + ", or --model-logits " + args[0] +
                     " where the file holds logits");
  Flags flags("compare",
              "Two or more models on the same items: every metric side by side, with paired differences.");
  CompareFlags f;
  add_compare_flags(flags, f);
  if (!flags.parse(args)) return kDone;
  EvaluateOptions o = checked_options(f.how);
  const std::vector<Gate> gates = parse_gates(f.fail_if);
  const std::vector<Model> given = models_of(args);
  if (given.size() < 2)
    throw InputError("a comparison needs two models or more; give each with --model NAME=FILE");
  check_compare_gates(gates, names_of(given), f.reference, o.bootstrap);

  Pages pages(f.pages);
  std::vector<NamedModel> models;
  Inputs inputs;
  for (const Model& m : given) {
    if (models.empty()) {
      inputs = load_inputs(with_model(f.inputs, m), o.threads);
      rename_flag(m, inputs);
      models.push_back({m.name, inputs.items});
      continue;
    }
    InputFlags alone;
    alone.predictions = f.inputs.predictions;
    Inputs next = load_predictions(with_model(alone, m), o.threads);
    rename_flag(m, next);
    check_class_order(m.path, next.items.class_names, given.front().name, inputs.items.class_names);
    Items items = inputs.items;
    items.predictions = next.items.predictions;
    models.push_back({m.name, std::move(items)});
    inputs.infos.insert(inputs.infos.end(), next.infos.begin(), next.infos.end());
    inputs.paths.insert(inputs.paths.end(), next.paths.begin(), next.paths.end());
  }
  for (NamedModel& m : models) take_one_class(f.one_class, m.items);
  take_one_class(f.one_class, inputs.items);
  check_outputs(pages.with_outputs({{"--json", f.json}}), inputs.paths);
  std::optional<AtomicFile> file;
  if (!f.json.empty() && f.json != "-") file.emplace(f.json);
  pages.open();
  Comparison c;
  {
    ProgressBar bar(!f.quiet);
    o.progress = bar.callback();
    c = compare(models, o, f.reference);
    o.progress = {};
  }
  Result result = compare_result(c, inputs.items, o);
  if (!f.one_class.empty()) result.settings.emplace_back("one_vs_rest", f.one_class);
  result.argv = argv_of("compare", args);
  add_input_record(inputs, result);
  c.notes = result.notes;
  pages.add_checksums(result.inputs, inputs.paths);
  const std::vector<std::string> held =
      gates_that_hold(gates, gated_differences(c),
                      {.what = "the difference of ",
                       .judged_model = [&](std::string_view name) { return c.verdict_of(name); },
                       .replicates = o.bootstrap});
  if (pages.wanted()) write_comparison(pages, models, o, result);
  if (file) {
    file->write(render_json(result));
    file->commit();
  }
  print_result(result, f.json, f.quiet, [&] {
    return render_compare(c, o.level, stdout_options(!o.metrics.empty())) + compare_advice(args, o, f);
  });
  return exit_code(held);
}

}  // namespace plumb::cli
