#include "plumb/raters/raters.hpp"

#include "calibrate.hpp"
#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/table_file.hpp"
#include "plumb/model/consensus.hpp"
#include "plumb/report/ceiling.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/raters.hpp"
#include "rater_inputs.hpp"
#include "raters_gold.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kRatersExamples = R"(Examples:
  accuracy and bias of each rater, and how much they agree
    plumb raters --ratings "votes.csv:rater_*" --bootstrap 200
  an export of an annotation tool; grades in order; the consensus as probabilities
    plumb raters --annotations votes.csv:item,rater,label --classes none,mild,severe --ordered -o consensus.csv
  is the model as close to the others as a rater is?
    plumb raters --ratings "votes.csv:rater_*" --probs probs.npy
  evaluate the consensus against experts who rated some of the items, and calibrate it
    plumb raters --ratings votes.npy --gold experts.npy --calibrated consensus.npy
Accuracy and confusion are those of a model in which every item has one true class (Dawid and Skene 1979).
Where experts themselves disagree, evaluate against all votes (plumb evaluate --ratings).)";

struct RatersFlags {
  InputFlags inputs;
  GoldFlags gold;
  RatersOptions o;
  std::int64_t ask = o.ask, bootstrap = o.bootstrap, threads = o.threads, iterations = o.iterations;
  std::string out, calibrated, json;
  bool quiet = false;
};

void add_raters_flags(Flags& flags, RatersFlags& f) {
  add_rater_flags(flags, f.inputs);
  add_gold_flags(flags, f.gold);
  flags.heading("Computation");
  flags.toggle("--one-coin", f.o.one_coin, "one accuracy per rater instead of a confusion matrix");
  flags.toggle("--ordered", f.o.ordered,
               "the classes have an order: weighted kappa, ordinal and interval alpha");
  flags.number("--prior", f.o.prior, "pseudo-votes per row of a confusion matrix; 0: maximum likelihood");
  flags.number("--converged-at", f.o.converged_at, "stop when no probability changes by more than this");
  flags.integer("--iterations", f.iterations, "maximum number of iterations");
  flags.integer("--ask", f.ask, "number of items to list where one more vote would tell most");
  flags.number("--target-se", f.o.target_se,
               "target standard error of an item's share of votes, for the number of votes needed");
  flags.integer("--bootstrap", f.bootstrap, "replicates for intervals; 0: none");
  flags.number("--level", f.o.level, "confidence level of the intervals");
  flags.seed("--seed", f.o.seed, "seed of the random numbers");
  flags.integer("--threads", f.threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("-o,--out", "FILE", f.out, "the consensus: N x K probabilities, .npy, .csv or .parquet");
  flags.text("--calibrated", "FILE", f.calibrated, "the consensus calibrated on the gold votes");
  flags.text("--json", "FILE", f.json, "write the full result as JSON; - for standard output");
  flags.toggle("--quiet", f.quiet, "print no table and no progress");
  flags.examples(kRatersExamples);
}

RatersOptions raters_options(const RatersFlags& f) {
  RatersOptions o = f.o;
  check_threads(f.threads);
  check_level(o.level);
  o.ask = to_int("--ask", f.ask);
  o.bootstrap = to_int("--bootstrap", f.bootstrap);
  o.threads = to_int("--threads", f.threads);
  o.iterations = to_int("--iterations", f.iterations);
  if (!f.calibrated.empty() && !f.gold.given())
    throw InputError("--calibrated needs gold votes to calibrate on; also give --gold or --gold-counts");
  if (f.gold.given()) check_fit_options(f.gold.method, {});
  check_numbers_path("-o", f.out);
  check_numbers_path("--calibrated", f.calibrated);
  return o;
}

/// Probabilities of the classes, named after them, with the ids where the format has a place for them.
void write_classes(const std::string& path, const std::vector<double>& z, std::int64_t items,
                   const Inputs& inputs) {
  if (path.empty()) return;
  Args columns;
  const Args& names = inputs.items.class_names;
  const std::int64_t width = std::ssize(z) / std::max<std::int64_t>(1, items);
  for (int k = 0; k < width; ++k)
    columns.push_back("p_" +
                      (names.empty() ? std::to_string(width == 1 ? 1 : k) : names[width == 1 ? 1 : k]));
  TableFile::RowName id;
  const bool named = !inputs.ids.empty() && !path.ends_with(".npy");
  if (named) id = [&](std::int64_t row) { return std::string(inputs.ids.name(row)); };
  TableFile file(path, width == 1 ? std::vector{items} : std::vector{items, width}, columns, id);
  file.write(z);
  file.commit();
}

std::string raters_advice(const Args& args, const RatersFlags& f) {
  if (f.bootstrap > 0) return "";
  Args parts = argument_parts(args, [](const std::string& flag) { return flag != "--bootstrap"; });
  parts.insert(parts.begin(), "plumb raters");
  parts.emplace_back("--bootstrap 200");
  return next_command("Get intervals for these numbers:", parts);
}

}  // namespace

int raters_command(const Args& args) {
  Flags flags(
      "raters",
      "Describes the raters: accuracy, bias and agreement of each, and the consensus of all votes.\n"
      "A FILE is .npy, .npz:array, .csv:column or .csv:a,b; several files or a quoted pattern are shards.");
  RatersFlags f;
  add_raters_flags(flags, f);
  if (!flags.parse(args)) return kDone;
  RatersOptions o = raters_options(f);
  Inputs inputs = load_rater_inputs(f.inputs, o.threads);
  if (f.gold.given() && !f.inputs.annotations.empty() && f.inputs.ids.empty())
    throw InputError(
        "gold votes have a row for each item, but the order of the items is not given; name them with --ids");
  std::optional<Votes> gold;
  if (f.gold.given()) gold = load_gold(f.gold, o.threads, inputs);
  check_outputs({{"-o", f.out}, {"--calibrated", f.calibrated}, {"--json", f.json}}, inputs.paths);
  std::optional<AtomicFile> json;
  if (!f.json.empty() && f.json != "-") json.emplace(f.json);

  RatersResult r;
  {
    ProgressBar bar(!f.quiet);
    o.progress = bar.callback();
    r = describe_raters(inputs.items.votes, inputs.items.groups, o);
  }
  Result result;
  std::string judged_text;
  if (gold) {
    Items judged = consensus_items(inputs.items, r.consensus);
    judged.votes = *gold;
    EvaluateOptions how;
    how.bootstrap = o.bootstrap;
    how.level = o.level;
    how.seed = o.seed;
    how.threads = o.threads;
    result = evaluate(judged, how);
    judged_text = "\nThe consensus against the gold votes\n" + render_terminal(result, stdout_options(false));
    const CalibratedConsensus c = calibrate_consensus(judged, result, f.gold.method, how);
    const std::string& method = c.model.steps.back().method;
    add_calibrated_consensus(method, kGoldFolds, c.scores, result);
    judged_text += render_calibrated_consensus(method, kGoldFolds, c.scores);
    write_classes(f.calibrated, c.probabilities, r.items, inputs);
  }
  result.version = version();
  result.command = "raters";
  result.argv = argv_of("raters", args);
  const ItemNames names{inputs.ids, inputs.items.class_names};
  add_raters(r, o, inputs.items.votes, names, result);
  std::vector<CeilingRow> ceiling;
  if (inputs.items.size() > 0) {
    ceiling = human_ceiling(inputs.items, o.ordered, o.level);
    add_ceiling(ceiling, inputs.items.votes, result);
  }
  add_input_record(inputs, result);
  write_classes(f.out, r.consensus, r.items, inputs);
  if (json) {
    json->write(render_json(result));
    json->commit();
  }
  print_result(result, f.json, f.quiet, [&] {
    return render_raters(r, o, inputs.items.votes, names, stdout_options()) +
           render_ceiling(ceiling, inputs.items.votes, stdout_options()) + judged_text + notes_text(inputs) +
           raters_advice(args, f);
  });
  return kDone;
}

}  // namespace plumb::cli
