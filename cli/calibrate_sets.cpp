// `plumb calibrate fit --method sets`, and `apply` of such a model.
#include "plumb/calibrate/sets.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/calibrate.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kSetsExamples = R"(Examples:
  sets that contain a random rater's label of a new item with probability 0.9 or more
    plumb calibrate fit --method sets --levels 0.9 --probs val.npy --counts votes.npy -o sets.json
    plumb calibrate apply sets.json --probs test.npy -o sets.npy
    plumb evaluate --sets sets.npy --counts test_votes.npy
  sizes that follow the difficulty; on top of a temperature; patients as the unit
    plumb calibrate fit --method sets --set-score aps --after temperature.json --probs val.npy --labels y.npy --groups items.csv:patient -o sets.json)";

std::vector<double> numbers_of(const Args& levels) {
  std::vector<double> out;
  for (const std::string& text : levels) {
    const std::optional<double> x = number_of(text);
    if (!x) throw InputError("--levels takes numbers such as 0.8,0.9, not \"" + text + "\"");
    out.push_back(*x);
  }
  return out;
}

std::string sets_summary(const Step& step, const std::string& unit) {
  const auto levels = vector_parameter(step, "level");
  std::string out =
      "sets fitted on " + counted(step.fit.items, "item") + " and " + counted(step.fit.votes, "vote") + "\n";
  for (const double level : levels)
    out += broken("  a set of level " + show(level) + " contains a random rater's label of a new " + unit +
                      " with probability " + show(level) + " or more, if new and old " + unit +
                      "s are exchangeable",
                  stdout_width(), 4) +
           "\n";
  for (const std::string& warning : step.fit.warnings) out += "Warning: " + warning + "\n";
  return out;
}

}  // namespace

bool is_sets_fit(const Args& args) {
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i] == "--method=sets" || (args[i] == "--method" && i + 1 < args.size() && args[i + 1] == "sets"))
      return true;
  return false;
}

int calibrate_fit_sets(const Args& args) {
  Flags flags(
      "calibrate fit --method sets",
      "Fits thresholds for sets of classes that contain the label, or a random rater's label, of a new item\n"
      "with at least the probability of each level.");
  InputFlags input_flags;
  SetOptions o;
  std::string method, score = std::string(kSetScores[static_cast<int>(o.score)]), out, after;
  Args levels;
  std::int64_t threads = o.threads;
  bool quiet = false;
  add_answer_flags(flags, input_flags);
  flags.heading("Fit");
  flags.text("--method", "M", method, "sets");
  flags.choice("--set-score", {"lac", "aps", "raps"}, score,
               "lac: the smallest sets; aps: sizes that follow the difficulty; raps: aps without long tails");
  flags.list("--levels", "x,x", levels, "probabilities that a set contains the label [0.9]");
  flags.number("--lambda", o.lambda, "raps: penalty for each class beyond the fifth");
  flags.toggle("--by-class", o.by_class,
               "a threshold for each class, so that each class of labels is covered; uses one vote per item");
  flags.text("--after", "FILE", after, "model whose steps come first");
  flags.seed("--seed", o.seed, "seed of the votes that --by-class draws");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", out, "the model file");
  flags.toggle("--quiet", quiet, "print no summary");
  flags.examples(kSetsExamples);
  if (!flags.parse(args)) return kDone;
  if (out.empty()) throw InputError("no output file given; name the model file with -o sets.json");
  check_threads(threads);
  o.threads = narrow<int>(threads);
  o.score = score == "lac" ? SetScore::lac : score == "aps" ? SetScore::aps : SetScore::raps;
  if (!levels.empty()) o.levels = numbers_of(levels);
  if (flags.given("--lambda") && o.score != SetScore::raps)
    throw InputError("--lambda has no effect on --set-score " + score + "; it is for raps");
  if (flags.given("--seed") && !o.by_class)
    throw InputError("--seed has no effect without --by-class; leave it out");

  Inputs inputs = load_inputs(input_flags, o.threads);
  std::vector<std::string> used = inputs.paths;
  CalibrationModel model;
  model.input = gives_logits(inputs.items.predictions) ? "logits" : "probabilities";
  Items items = inputs.items;
  if (!after.empty()) {
    model = load_model(after);
    used.push_back(after);
    if (gives_sets(model)) throw InputError(after + " ends with sets already; fit on the model before it");
    check_fits(model, items.predictions);
    items = calibrated(items, model, o.threads);
  }
  check_outputs({{"-o", out}}, used);
  model.task = items.binary() ? "binary" : "multiclass";
  model.classes = items.classes();
  if (!items.class_names.empty()) model.class_names = items.class_names;
  model.version = version();
  model.steps.push_back(fit_sets(items, o));
  for (std::string& digest : prediction_digests(inputs)) model.fitted_on.push_back(std::move(digest));
  write_file(out, model_text(model));
  if (quiet) return kDone;
  write_stdout(sets_summary(model.steps.back(), items.groups.empty() ? "item" : "group") +
               notes_text(inputs));
  write_stdout(next_command("Make the sets of new items, in place of NEW:",
                            {"plumb calibrate apply", shell_word(out), "--probs NEW", "-o sets.npy"}));
  return kDone;
}

int apply_sets_to_file(const SetsToFile& given) {
  const CalibrationModel& model = given.model;
  const auto levels = set_levels(model);
  std::int64_t at = 0;
  std::vector<std::string> known;
  for (const double level : levels) known.push_back(show(level));
  if (!given.level.empty()) {
    at = std::find(known.begin(), known.end(), show(number_of(given.level).value_or(NAN))) - known.begin();
    if (at == std::ssize(known))
      throw InputError(model.name + " has no sets of level " + given.level + "; it has " + separated(known));
  } else if (levels.size() > 1) {
    throw InputError(model.name + " has sets of several levels (" + separated(known) +
                     "); choose one with --level");
  }
  Inputs inputs = load_predictions(given.inputs, narrow<int>(given.threads));
  const Predictions& predictions = inputs.items.predictions;
  inputs.ids = Loader(narrow<int>(given.threads), inputs)
                   .ids(given.inputs.ids, predictions.sources().front().name(), predictions.items());
  check_numbers_path("-o", given.out);
  check_outputs({{"-o", given.out}}, inputs.paths);
  const std::int64_t n = predictions.items(), k = predictions.classes();
  Args columns;
  const Args names = model.class_names.empty() ? inputs.items.class_names : model.class_names;
  for (std::int64_t c = 0; c < k; ++c)
    columns.push_back("in_" + (names.empty() ? std::to_string(c) : names[c]));
  TableFile::RowName id;
  if (!inputs.ids.empty()) id = [&](std::int64_t row) { return std::string(inputs.ids.name(row)); };
  TableFile file(given.out, {n, k}, columns, id);
  std::vector<double> rows;
  double members = 0;
  apply_sets(model, predictions, narrow<int>(given.threads),
             [&](std::int64_t, std::span<const double> in_set) {
               const std::int64_t items = std::ssize(in_set) / (std::ssize(levels) * k);
               rows.resize(items * k);
               for (std::int64_t i = 0; i < items; ++i)
                 for (std::int64_t c = 0; c < k; ++c)
                   members += rows[i * k + c] = in_set[(i * std::ssize(levels) + at) * k + c];
               file.write(rows);
             });
  file.commit();
  if (given.quiet) return kDone;
  const std::string notice = fitted_on_notice(model, inputs);
  if (!notice.empty()) say(notice);
  write_stdout(broken("Wrote sets of level " + known[at] + " for " + counted(n, "item") + " to " + given.out +
                          "; they have " + show(std::round(100 * members / std::max<double>(1, n)) / 100) +
                          " classes on average",
                      stdout_width(), 0) +
               "\n");
  write_stdout(next_command(
      "How often do they contain the votes? With the labels of the same items in place of LABELS:",
      {"plumb evaluate", "--sets " + shell_word(given.out), "--labels LABELS"}));
  return kDone;
}

}  // namespace plumb::cli
