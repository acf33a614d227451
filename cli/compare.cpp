#include "plumb/evaluate/compare.hpp"

#include <algorithm>

#include "class_names.hpp"
#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/compare.hpp"
#include "plumb/report/json.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kCompareExamples = R"(Examples:
  is the calibrated version better, and is that more than chance?
    plumb compare --model raw=raw.npy --model calibrated=calibrated.npy --labels labels.npy
  logits; patients as the unit; every metric
    plumb compare --model-logits a=a.npy --model-logits b=b.npy --counts votes.npy --groups items.csv:patient --metrics all
Each replicate draws the same items for all models. p-values are two-sided; adjusted ones account for all metrics and models compared.)";

struct Model {
  std::string name, spec;
  bool logits;
};

Model parse_model(const std::string& flag, const std::string& text) {
  const auto cut = text.find('=');
  if (cut == std::string::npos || cut == 0 || cut + 1 == text.size())
    throw InputError(flag + " takes NAME=FILE, as in new=probs.npy, not \"" + text + "\"");
  return {text.substr(0, cut), text.substr(cut + 1), flag == "--model-logits"};
}

/// In the order of the command line, whichever of the two flags gave them.
std::vector<Model> models_of(const Args& args) {
  std::vector<Model> out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    for (const std::string flag : {"--model", "--model-logits"}) {
      if (args[i] == flag && i + 1 < args.size()) out.push_back(parse_model(flag, args[i + 1]));
      if (args[i].starts_with(flag + "=")) out.push_back(parse_model(flag, args[i].substr(flag.size() + 1)));
    }
  }
  return out;
}

struct CompareFlags {
  Args models, model_logits, fail_if;
  std::string reference;
  InputFlags inputs;
  EvaluateFlags how;
  std::string json;
  PageFlags pages;
  bool quiet = false;
  CompareFlags() { how.bootstrap = kCompareReplicates; }
};

void add_compare_flags(Flags& flags, CompareFlags& f) {
  flags.heading("The models (two or more)");
  flags.repeated("--model", "NAME=FILE", f.models, "probabilities, N x K, or N for P(class 1); repeatable");
  flags.repeated("--model-logits", "NAME=FILE", f.model_logits, "the same as logits; repeatable");
  for (const char* flag : {"--probs", "--logits"})
    flags.later(flag, std::string(flag) + " is for one model; compare takes each as " +
                          (flag == std::string("--probs") ? "--model" : "--model-logits") +
                          " NAME=FILE, as in \"plumb compare --model old=a.npy --model new=b.npy\"");
  flags.text(
      "--reference", "NAME", f.reference,
      "the model to compare the others with; by default all pairs are tested, and differences from the first are shown");
  flags.yes("--normalize", f.inputs.predictions.normalize, "rescale rows of probabilities to sum to 1");
  add_vote_flags(flags, f.inputs);
  flags.files("--truth", "FILE", f.inputs.truth, "N true probabilities of class 1, when known");
  add_evaluate_flags(flags, f.how);
  flags.heading("Output");
  flags.text("--json", "FILE", f.json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, f.pages);
  flags.repeated(
      "--fail-if", "\"nll>0.01\"", f.fail_if,
      "exit with code 3 if this holds for a difference from the reference (by default the first model); NAME.nll with more than two models; repeatable");
  flags.yes("--quiet", f.quiet, "print no table and no progress");
  flags.examples(kCompareExamples);
}

/// Differences to the reference, else to the first model: "NAME.nll", and "nll" where there are but two.
MetricResults differences(const Comparison& c) {
  MetricResults out;
  for (const ComparedMetric& m : c.metrics) {
    for (const Difference& d : m.differences) {
      if (d.from != c.reference.value_or(0)) continue;
      MetricResult difference;
      difference.value = d.value;
      difference.low = d.low;
      difference.high = d.high;
      difference.p_value = d.p_value;
      difference.why = "it is undefined for one of the models";
      out.emplace_back(c.models[d.to] + "." + m.key, difference);
      if (const auto alias = alias_of(m.key); !alias.empty())
        out.emplace_back(c.models[d.to] + "." + std::string(alias), difference);
      if (c.models.size() == 2) out.emplace_back(m.key, difference);
    }
  }
  return out;
}

/// Told before anything is computed.
void check_gates(std::vector<Gate> gates, std::vector<Model> models, const std::string& reference,
                 int replicates) {
  if (!reference.empty() &&
      std::none_of(models.begin(), models.end(), [&](const Model& m) { return m.name == reference; })) {
    Args names;
    std::string known;
    for (const Model& m : models) {
      names.push_back(m.name);
      known += (known.empty() ? "" : ", ") + m.name;
    }
    throw InputError("--reference " + reference + ": no model has this name" +
                     did_you_mean(reference, names) + "; the models are " + known);
  }
  const auto at =
      std::find_if(models.begin(), models.end(), [&](const Model& m) { return m.name == reference; });
  if (at != models.end()) std::rotate(models.begin(), at, at + 1);
  for (Gate& g : gates) {
    const auto dot = g.key.rfind('.');
    if (models.size() > 2 && dot == std::string::npos)
      throw InputError("--fail-if \"" + g.key + g.op +
                       "...\": with more than two models, name the one to compare with " +
                       models.front().name + ", as in \"" + models[1].name + "." + g.key + g.op + "...\"");
    const bool named = dot != std::string::npos &&
                       std::any_of(models.begin() + 1, models.end(),
                                   [&](const Model& m) { return m.name == g.key.substr(0, dot); });
    if (named || models.size() > 2) g.key = g.key.substr(dot + 1);
  }
  check_metrics_of(gates);
  // The p-value of a normal interval is computed; the others are counted, on both sides.
  std::erase_if(gates, [](const Gate& g) {
    const MetricRow* row = g.on_verdict() ? nullptr : find_metric(canonical_key(g.key));
    return row == nullptr || row->interval == Interval::normal;
  });
  check_reach(gates, replicates, 2);
}

InputFlags with_model(InputFlags inputs, const Model& m) {
  (m.logits ? inputs.logits : inputs.probs) = {m.spec};
  return inputs;
}

void rename_flag(const Model& m, Inputs& inputs) {
  for (InputInfo& info : inputs.infos)
    if (info.flag == "--probs" || info.flag == "--logits")
      info.flag = m.logits ? "--model-logits" : "--model";
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

}  // namespace

int compare_command(const Args& args) {
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
  check_gates(gates, given, f.reference, o.bootstrap);

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
    check_class_order(m.spec, next.items.class_names, given.front().name, inputs.items.class_names);
    Items items = inputs.items;
    items.predictions = next.items.predictions;
    models.push_back({m.name, std::move(items)});
    inputs.infos.insert(inputs.infos.end(), next.infos.begin(), next.infos.end());
    inputs.paths.insert(inputs.paths.end(), next.paths.begin(), next.paths.end());
  }
  check_outputs({{"--json", f.json}, {"--report", f.pages.report}, {"--plots", f.pages.plots}}, inputs.paths);
  std::optional<AtomicFile> file;
  if (!f.json.empty() && f.json != "-") file.emplace(f.json);
  pages.open();
  Comparison c;
  {
    ProgressBar bar(!f.quiet);
    o.progress = bar.callback();
    c = compare(models, o, f.reference);
  }
  Result result = result_of("compare", args);
  put_items(result, inputs.items);
  result.votes = c.votes;
  result.settings = {{"bins", std::int64_t{o.bins}},
                     {"binning", std::string(o.binning == Binning::width ? "width" : "mass")},
                     {"clip", o.clip},
                     {"bootstrap", std::int64_t{o.bootstrap}},
                     {"level", o.level},
                     {"seed", o.seed},
                     {"bandwidth", bandwidth_setting(o, ", for each model")},
                     {"leave_out", std::string(o.leave_out == LeaveOut::kVote ? "vote" : "item")},
                     {"unit", std::string(inputs.items.groups.empty() ? "item" : "group")}};
  result.notes = c.notes;
  put_books(inputs, result);
  c.notes = result.notes;
  pages.add_checksums(result.inputs, inputs.paths);
  result.sections.emplace_back("compare", compare_section(c));
  const std::vector<std::string> held =
      gates_that_hold(gates, differences(c), {.what = "the difference of ", .replicates = o.bootstrap});
  if (file) {
    file->write(render_json(result));
    file->commit();
  }
  if (pages.wanted()) write_comparison(pages, models, o, result);
  print_result(result, f.json, f.quiet,
               [&] { return render_compare(c, o.level, stdout_look(!o.metrics.empty())); });
  return exit_code(held);
}

}  // namespace plumb::cli
