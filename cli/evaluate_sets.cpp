// `plumb evaluate --sets`: coverage and size of sets of classes.
#include "commands.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/sets.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/sets.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kSetsOfExamples = R"(Examples:
  how often do the sets contain the label of a random rater, of the majority, of each rater?
    plumb evaluate --sets sets.npy --ratings votes.npy
  by site, patients as the unit
    plumb evaluate --sets "sets.csv:in_*" --labels labels.npy --by items.csv:site --groups items.csv:patient)";

/// Even probabilities for every item: votes are read for the classes that the sets have.
Predictions even_predictions(const Rows& sets) {
  Array even;
  even.shape = {sets.rows(), sets.width()};
  even.strides = {0, sizeof(double)};
  const auto row = std::make_shared<std::vector<double>>(sets.width(), 1.0 / sets.width());
  even.data = reinterpret_cast<const std::byte*>(row->data());
  even.owner = row;
  even.name = sets.name();
  if (!sets.shards().empty()) even.columns = sets.shards().front().columns;
  return Predictions({Rows(std::move(even))}, Scale::probability);
}

}  // namespace

bool has_sets_flag(const Args& args) {
  for (const std::string& arg : args)
    if (arg == "--sets" || arg.starts_with("--sets=")) return true;
  return false;
}

int evaluate_sets_command(const Args& args) {
  Flags flags("evaluate --sets", "How often sets of classes contain the votes, and how large they are.");
  InputFlags input_flags;
  SetsOptions o;
  Args sets_files;
  std::string json, ties = ties_name(o.ties);
  std::int64_t threads = 0;
  bool quiet = false;
  flags.heading("Sets");
  flags.files("--sets", "FILE", sets_files,
              "N x K, 1 where the set of an item contains the class, otherwise 0");
  add_vote_flags(flags, input_flags);
  flags.files("--by", "FILE", input_flags.by,
              "N slice names or numbers; coverage is also reported by slice (repeat for another slicing)");
  flags.unavailable(
      "--probs", "--sets are evaluated by themselves; evaluate the probabilities in a command of their own");
  flags.heading("Computation");
  flags.choice("--ties", {"half", "absent", "lowest", "random"}, ties,
               "majority label when raters tie: shared, none, the lowest class, or drawn at random");
  flags.number("--level", o.level, "confidence level of the intervals");
  flags.seed("--seed", o.seed, "seed of --ties random");
  flags.integer("--threads", threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("--json", "FILE", json, "write the full result as JSON; - for standard output");
  flags.toggle("--quiet", quiet, "print no table");
  flags.examples(kSetsOfExamples);
  if (!flags.parse(args)) return kDone;
  check_threads(threads);
  for (const Ties t : {Ties::half, Ties::absent, Ties::lowest, Ties::random})
    if (ties == ties_name(t)) o.ties = t;
  if (!input_flags.weights.empty())
    throw InputError("--weights has no effect on sets, whose items count once each; leave it out");

  Inputs inputs;
  const Rows sets = Loader(narrow<int>(threads), inputs).rows("--sets", sets_files);
  if (sets.rank() != 2 || sets.width() < 2)
    throw InputError(sets.name() + ": --sets takes N x K numbers, a column for each class");
  load_beside(input_flags, even_predictions(sets), narrow<int>(threads), inputs);
  check_outputs({{"--json", json}}, inputs.paths);
  const SetsResult r = evaluate_sets(sets, inputs.items.votes, inputs.items.groups, inputs.items.by, o);
  Result result = result_of("evaluate", args);
  add_sets(r, o, inputs.items, result);
  add_input_record(inputs, result);
  if (!json.empty() && json != "-") write_file(json, render_json(result));
  print_result(result, json, quiet, [&] {
    return render_sets(r, inputs.items.class_names, stdout_options()) + notes_text(inputs);
  });
  return kDone;
}

}  // namespace plumb::cli
