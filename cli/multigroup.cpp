#include "multigroup.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibrate.hpp"
#include "inputs.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/calibrate/multigroup.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/slicing.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kMultigroupExamples = R"(Examples:
  repair the sites and both sexes, and their intersections; judge it by out-of-fold probabilities
    plumb calibrate fit --method multigroup --probs val.csv:p --labels val.csv:y --by val.csv:site --by val.csv:sex --cross 2 -o groups.json --cross-fit 5 --out-probs oof.npy
    plumb audit --probs oof.npy --labels val.csv:y --by val.csv:site --by val.csv:sex --cross 2
  new patients
    plumb calibrate apply groups.json --probs new.csv:p --by new.csv:site --by new.csv:sex -o calibrated.npy)";

/// Ranges between numbers are the same for any data; quantiles are not.
void cut_at_edges(const Args& cuts, std::vector<Names>& ways) {
  for (const std::string& text : cuts) {
    const Cut cut = parse_cut(text, "--cut");
    if (cut.quantiles > 0)
      throw InputError("--cut " + text +
                       ": quantiles of new data would be other groups; cut at numbers, as in age=40,65");
    const auto way =
        std::find_if(ways.begin(), ways.end(), [&](const Names& n) { return n.title() == cut.name; });
    if (way == ways.end()) throw InputError("--cut " + text + ": no --by is called \"" + cut.name + "\"");
    *way = cut_names(*way, cut);
  }
}

Args cuts_of(const CalibrationModel& model) {
  for (const auto& [name, value] : model.steps.front().fit.options)
    if (const auto* x = std::get_if<Args>(&value); name == "cut" && x != nullptr) return *x;
  return {};
}

std::string multigroup_summary(const CalibrationModel& model) {
  const Step& step = model.steps.front();
  std::string out = "multigroup fitted on " + counted(step.fit.items, "item") + " and " +
                    counted(step.fit.votes, "vote") + ": " + std::to_string(step.fit.iterations) +
                    (step.fit.iterations == 1 ? " patch\n" : " patches\n");
  for (const auto& [name, value] : step.fit.options)
    if (const auto* slices = std::get_if<Args>(&value); name == "slices" && slices != nullptr)
      for (std::size_t r = 0; r < slices->size(); ++r)
        out += "  " + ((*slices)[r].empty() ? "all items" : (*slices)[r]) + ": log-odds moved by " +
               show(std::round(1000 * step.parameters[0].values[r]) / 1000) +
               (step.parameters[1].values[r] == 0
                    ? ""
                    : " + " + show(std::round(1000 * step.parameters[1].values[r]) / 1000) + " log-odds") +
               "\n";
  for (const std::string& warning : step.fit.warnings) out += "Warning: " + warning + "\n";
  return out;
}

}  // namespace

bool is_multigroup_fit(const Args& args) {
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i] == "--method=multigroup" ||
        (args[i] == "--method" && i + 1 < args.size() && args[i + 1] == "multigroup"))
      return true;
  return false;
}

int fit_multigroup_command(const Args& args) {
  Flags flags(
      "calibrate fit --method multigroup",
      "Repairs named groups of a binary task: slices whose log-odds are off are moved, one after the other.");
  InputFlags input_flags;
  MultigroupOptions o;
  std::string method, out, out_probs;
  Args cuts;
  std::int64_t cross = o.cross, rounds = o.rounds, threads = o.threads, folds = 0;
  bool quiet = false;
  add_answer_flags(flags, input_flags);
  flags.heading("Groups");
  flags.files("--by", "FILE", input_flags.by, "N slice names or numbers; repeat for another slicing");
  flags.repeated("--cut", "NAME=40,65", cuts, "cut the numbers of --by FILE:NAME at numbers; repeatable");
  flags.integer("--cross", cross, "also repair intersections of up to so many ways");
  flags.heading("Fit");
  flags.text("--method", "M", method, "multigroup");
  flags.integer("--rounds", rounds, "patches, at most");
  flags.number("--level", o.level, "level of the test that finds a slice to be off, for all slices at once");
  flags.seed("--seed", o.seed, "seed of the folds of --cross-fit");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", out, "the model file");
  flags.integer("--cross-fit", folds, "folds of out-of-fold calibration, written to --out-probs");
  flags.text("--out-probs", "FILE", out_probs, "out-of-fold probabilities: .npy, .csv or .parquet");
  flags.toggle("--quiet", quiet, "print no summary");
  flags.examples(kMultigroupExamples);
  if (!flags.parse(args)) return kDone;
  if (out.empty()) throw InputError("no output file given; name the model file with -o groups.json");
  if (flags.given("--cross-fit") != !out_probs.empty())
    throw InputError(
        "--cross-fit (the number of folds) and --out-probs (the file for the out-of-fold probabilities) must be given together");
  if (flags.given("--cross-fit")) between("--cross-fit", folds, 2, 1000);
  check_threads(threads);
  o.threads = narrow<int>(threads);
  o.cross = between("--cross", cross, 1, 8);
  o.rounds = between("--rounds", rounds, 1, 100'000);
  if (!out_probs.empty()) check_numbers_path("--out-probs", out_probs);
  Inputs inputs = load_inputs(input_flags, o.threads);
  cut_at_edges(cuts, inputs.items.by);
  check_outputs({{"-o", out}, {"--out-probs", out_probs}}, inputs.paths);
  AtomicFile file(out);
  CalibrationModel model = fit_multigroup(inputs.items, o);
  if (!cuts.empty()) model.steps.front().fit.options.emplace_back("cut", cuts);
  for (std::string& digest : prediction_digests(inputs)) model.fitted_on.push_back(std::move(digest));
  std::optional<TableFile> oof;
  if (!out_probs.empty()) {
    const std::vector<double> p = cross_fit_multigroup(inputs.items, o, narrow<int>(folds));
    oof.emplace(out_probs, std::vector<std::int64_t>{inputs.items.size()}, Args{"p"});
    oof->write(p);
    oof->settle();
  }
  file.write(model_text(model));
  file.commit();
  if (oof) oof->commit();
  if (quiet) return kDone;
  write_stdout(multigroup_summary(model) + notes_text(inputs));
  if (out_probs.empty()) return kDone;
  const Args kept{"--labels", "--counts", "--ratings", "--weights", "--groups", "--by", "--cut", "--cross"};
  Args parts = argument_parts(
      args, [&](const std::string& flag) { return std::find(kept.begin(), kept.end(), flag) != kept.end(); });
  parts.insert(parts.begin(), {"plumb audit", "--probs " + shell_word(out_probs)});
  write_stdout(next_command("Audit the out-of-fold probabilities:", parts));
  return kDone;
}

int apply_multigroup_to_file(const MultigroupToFile& given) {
  if (given.inputs.by.empty()) throw InputError(given.path + " repairs named groups; name them with --by");
  const int threads = narrow<int>(given.threads);
  Inputs inputs = load_predictions(given.inputs, threads);
  std::vector<Names> by = Loader(threads, inputs).slices(given.inputs.by, inputs.items.size());
  cut_at_edges(cuts_of(given.model), by);
  std::vector<std::string> used = inputs.paths;
  used.push_back(given.path);
  check_numbers_path("-o", given.out);
  check_outputs({{"-o", given.out}}, used);
  const std::vector<double> p = apply_multigroup(given.model, inputs.items.predictions, by, threads);
  TableFile file(given.out, {std::ssize(p)}, {"p"});
  file.write(p);
  file.commit();
  if (given.quiet) return kDone;
  const std::string notice = fitted_on_notice(given.model, inputs);
  if (!notice.empty()) say(notice);
  write_stdout("Wrote calibrated probabilities of " + counted(std::ssize(p), "item") + " to " + given.out +
               "\n");
  return kDone;
}

}  // namespace plumb::cli
