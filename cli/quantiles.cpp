#include "quantiles.hpp"

#include <algorithm>

#include "calibrate.hpp"
#include "inputs.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/calibrate/regression/cqr.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/regression/quantiles.hpp"
#include "plumb/report/json.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kQuantileExamples = R"(Examples:
  forecasts of the 5%, 50% and 95% quantiles, with intervals
    plumb evaluate --quantiles "t.csv:q05,q50,q95" --quantile-levels 0.05,0.5,0.95 --targets t.csv:y --bootstrap 200
  by site, patients as the unit
    plumb evaluate --quantiles q.npy --quantile-levels 0.1,0.9 --targets y.npy --by t.csv:site --groups t.csv:patient)";

constexpr const char* kCqrExamples = R"(Examples:
  intervals between the 5% and the 95% quantile that hold a new target with probability 0.9 or more
    plumb calibrate fit --method cqr --quantiles val.npy --quantile-levels 0.05,0.5,0.95 --targets y.npy -o cqr.json
    plumb calibrate apply cqr.json --quantiles test.npy -o calibrated.npy
  in each site by itself
    plumb calibrate fit --method cqr --quantiles val.npy --quantile-levels 0.1,0.9 --targets y.npy --within val.csv:site -o cqr.json)";

struct QuantileFlags {
  Args quantiles, levels, targets, weights, groups, by, within;
};

struct QuantileInputs : InputRecord {
  QuantileItems items;
  Names within;
};

void add_quantile_flags(Flags& flags, QuantileFlags& f) {
  flags.heading("Predictions");
  flags.files("--quantiles", "FILE", f.quantiles, "N x Q, a column for each level");
  flags.list("--quantile-levels", "0.05,0.5,0.95", f.levels, "the levels of the columns, ascending");
}

std::vector<double> quantile_levels(const Args& texts) {
  std::vector<double> out;
  for (const std::string& text : texts) {
    const std::optional<double> x = number_of(text);
    if (!x) throw InputError("--quantile-levels takes numbers such as 0.05,0.5,0.95, not \"" + text + "\"");
    out.push_back(*x);
  }
  return out;
}

QuantileInputs load_quantiles(const QuantileFlags& f, int threads) {
  if (f.quantiles.empty())
    throw InputError("no quantiles given; add --quantiles FILE and --quantile-levels 0.05,0.5,0.95");
  QuantileInputs out;
  Loader load(threads, out);
  QuantileItems& items = out.items;
  items.quantiles = load.rows("--quantiles", f.quantiles);
  items.levels = quantile_levels(f.levels);
  items.targets = load.rows("--targets", f.targets);
  items.weights = load.weights(f.weights);
  if (!f.groups.empty()) items.groups = Names(load.rows("--groups", f.groups, kNames));
  items.by = load.slices(f.by, items.size());
  if (!f.within.empty()) out.within = Names(load.rows("--within", f.within, kNames));
  return out;
}

std::string cqr_summary(const CalibrationModel& model, const QuantileItems& items) {
  const Step& step = model.steps.front();
  const std::size_t categories = cqr_categories(model).size();
  std::string out = "cqr fitted on " + counted(step.fit.items, "item") +
                    (categories > 0 ? " of " + std::to_string(categories) + " categories" : "") + "\n";
  for (const CentralPair& pair : central_pairs(items.levels))
    out += "  the interval between the quantiles at " + show(items.levels[pair.low]) + " and " +
           show(items.levels[pair.high]) + " holds the target of a new item with probability " +
           show(pair.level) + " or more" + (categories > 0 ? ", in each category" : "") +
           ", if new and old items are exchangeable\n";
  for (const std::string& warning : step.fit.warnings) out += "Warning: " + warning + "\n";
  return out;
}

}  // namespace

bool has_quantile_flags(const Args& args) {
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i] == "--quantiles" || args[i].starts_with("--quantiles=") || args[i] == "--method=cqr" ||
        (args[i] == "--method" && i + 1 < args.size() && args[i + 1] == "cqr"))
      return true;
  return false;
}

int evaluate_quantiles_command(const Args& args) {
  Flags flags("evaluate --quantiles",
              "Forecasts of quantiles against their targets: pinball loss, interval scores, coverage.");
  QuantileFlags f;
  QuantileOptions o;
  std::string json;
  PageFlags page_flags;
  std::int64_t bootstrap = o.bootstrap, threads = o.threads;
  bool quiet = false;
  add_quantile_flags(flags, f);
  flags.heading("Targets");
  flags.files("--targets", "FILE", f.targets, "N");
  flags.heading("Items");
  flags.files("--weights", "FILE", f.weights, "N weights");
  flags.files("--groups", "FILE", f.groups, "N patients, images or sites: the unit of resampling");
  flags.files("--by", "FILE", f.by,
              "N slice names or numbers; results are also reported by slice (repeat for another slicing)");
  flags.heading("Computation");
  flags.integer("--bootstrap", bootstrap, "replicates for intervals; 0: none");
  flags.number("--level", o.level, "confidence level of the intervals");
  flags.seed("--seed", o.seed, "seed of the random numbers");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("--json", "FILE", json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, page_flags);
  flags.text("--title", "TEXT", page_flags.title, "title of the page");
  flags.toggle("--quiet", quiet, "print no table and no progress");
  flags.examples(kQuantileExamples);
  if (!flags.parse(args)) return kDone;
  check_threads(threads);
  check_bootstrap(bootstrap);
  o.threads = narrow<int>(threads);
  o.bootstrap = narrow<int>(bootstrap);
  Pages pages(page_flags);
  const QuantileInputs inputs = load_quantiles(f, o.threads);
  check_outputs(pages.with_outputs({{"--json", json}}), inputs.paths);
  std::optional<AtomicFile> file;
  if (!json.empty() && json != "-") file.emplace(json);
  pages.open();
  Result result;
  {
    ProgressBar bar(!quiet);
    o.progress = bar.callback();
    result = evaluate_quantiles(inputs.items, o);
  }
  result.argv = argv_of("evaluate", args);
  add_input_record(inputs, result);
  pages.add_checksums(result.inputs, inputs.paths);
  if (file) {
    file->write(render_json(result));
    file->settle();
  }
  pages.finish(result);
  if (file) file->commit();
  print_result(result, json, quiet, [&] { return render_terminal(result, stdout_options()); });
  return kDone;
}

int fit_cqr_command(const Args& args) {
  Flags flags(
      "calibrate fit --method cqr",
      "Moves the ends of forecast intervals until they hold a new target with the probability of their level.");
  QuantileFlags f;
  std::string method, out;
  bool quiet = false;
  flags.heading("Fit");
  flags.text("--method", "M", method, "cqr");
  flags.text("-o,--out", "FILE", out, "the model file");
  add_quantile_flags(flags, f);
  flags.heading("Targets");
  flags.files("--targets", "FILE", f.targets, "N");
  flags.heading("Items");
  flags.files("--within", "FILE", f.within, "N categories; the guarantee then holds in each of them");
  flags.files("--groups", "FILE", f.groups, "N patients, images or sites");
  flags.heading("Other");
  flags.toggle("--quiet", quiet, "print nothing");
  flags.examples(kCqrExamples);
  if (!flags.parse(args)) return kDone;
  if (out.empty()) throw InputError("no output file given; name the model file with -o cqr.json");
  const QuantileInputs inputs = load_quantiles(f, 0);
  check_outputs({{"-o", out}}, inputs.paths);
  CalibrationModel model = fit_cqr(inputs.items, inputs.within);
  for (std::size_t i = 0; i < inputs.paths.size(); ++i)
    if (inputs.infos[i].flag == "--quantiles") model.fitted_on.push_back(sha256_file(inputs.paths[i]));
  write_file(out, model_text(model));
  if (quiet) return kDone;
  write_stdout(cqr_summary(model, inputs.items));
  write_stdout(
      next_command("Calibrate the quantiles of new items, in place of NEW:",
                   {"plumb calibrate apply", shell_word(out), "--quantiles NEW", "-o quantiles.npy"}));
  return kDone;
}

int apply_cqr_command(const Args& args) {
  Flags flags("calibrate apply --quantiles",
              "Calibrated quantiles of a model that was fitted with --method cqr.");
  QuantileFlags f;
  Args given;
  std::string out;
  bool quiet = false;
  flags.positional("model", given, "model file from plumb calibrate fit --method cqr");
  flags.heading("Predictions");
  flags.files("--quantiles", "FILE", f.quantiles, "N x Q, a column for each level of the model");
  flags.files("--within", "FILE", f.within, "N categories, if the model was fitted with them");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", out, "calibrated quantiles, N x Q: .npy, .csv or .parquet");
  flags.toggle("--quiet", quiet, "print nothing");
  flags.examples(kCqrExamples);
  if (!flags.parse(args)) return kDone;
  const std::string path = one_model(given, "plumb calibrate apply");
  if (out.empty()) throw InputError("no output file given; name one for the calibrated quantiles with -o");
  const CalibrationModel model = load_model(path);
  if (!is_cqr(model)) throw InputError(path + " does not calibrate quantiles; fit one with --method cqr");
  QuantileInputs inputs = load_quantiles(f, 0);
  inputs.items.levels = cqr_levels(model);
  std::vector<std::string> used = inputs.paths;
  used.push_back(path);
  check_numbers_path("-o", out);
  check_outputs({{"-o", out}}, used);
  check_quantiles(inputs.items, false);
  Args columns;
  for (const double level : inputs.items.levels) columns.push_back("q_" + show(level));
  TableFile file(out, {inputs.items.size(), std::ssize(columns)}, columns);
  apply_cqr(model, inputs.items, inputs.within, [&](std::span<const double> rows) { file.write(rows); });
  file.commit();
  if (quiet) return kDone;
  write_stdout("Wrote calibrated quantiles of " + counted(inputs.items.size(), "item") + " to " + out + "\n");
  return kDone;
}

}  // namespace plumb::cli
