#include "plumb/evaluate/stability.hpp"

#include <set>

#include "case_flags.hpp"
#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "inputs.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/results.hpp"
#include "plumb/report/stability.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kStabilityExamples = R"(Examples:
  is the calibration error more stable with all raters?
    plumb stability --probs probs.npy --counts votes.npy --estimators ece,ece_kde
  against one rater instead of the majority, patients as the unit
    plumb stability --probs probs.npy --ratings votes.npy --single rater:0 --groups items.csv:patient
Each repeat draws units with replacement and takes growing parts of that draw. Total variation is the sum of the
absolute changes along the way; a ratio above 1 means that all votes give a more stable estimate than one label.)";

/// All items at once, with intervals: what the spread over draws is to be compared with.
/// The curves first. `plumb evaluate` advises this command where items are too few, so it is not named here.
std::string stability_advice(const Args& args, const PageFlags& pages) {
  if (!pages.report.empty()) return "";
  Args parts = argument_parts(args, [](const std::string& flag) { return flag != "--json"; });
  parts.insert(parts.begin(), "plumb stability");
  parts.emplace_back("--report stability.html");
  return next_command("See the curves:", parts);
}

}  // namespace

int stability_command(const Args& args) {
  if (has_manifest_flags(args)) return stability_manifest_command(args);
  Flags flags("stability",
              "How an estimate varies as the test set shrinks, with one label per item and with all votes.");
  InputFlags input_flags;
  EvaluateFlags how;
  StabilityOptions o;
  std::int64_t repeats = o.repeats;
  std::string subsets = "nested", single = "majority", json;
  bool quiet = false;
  PageFlags pages_flags;
  add_estimate_flags(flags, input_flags);
  flags.heading("Computation");
  flags.list("--estimators", "k,k", o.estimators, "keys from \"plumb list\" [ece]");
  flags.list("--metrics", "k,k", o.estimators, "alias of --estimators");
  flags.exclusive({"--estimators", "--metrics"});
  flags.number("--from", o.from, "the smallest share of the test set");
  flags.number("--step", o.step, "step between shares");
  flags.integer("--repeats", repeats, "draws of the test set");
  flags.choice("--subsets", {"nested", "independent"}, subsets,
               "nested parts of one draw, or independent draws");
  flags.text("--single", "HOW", single, "the one label: majority, random or rater:NAME [" + single + "]");
  add_ties_flag(flags, how);
  flags.integer("--bins", how.bins, "bins of the reliability table");
  flags.choice("--binning", {"width", "mass"}, how.binning, "bins of equal width or equal mass");
  flags.number("--clip", how.options.clip, "clip probabilities to [X, 1-X] in log-loss");
  add_bandwidth_flag(flags, how);
  flags.choice("--leave-out", {"vote", "item"}, how.leave_out,
               "what leave-one-out kernel estimates leave out");
  flags.seed("--seed", how.options.seed, "seed of the random numbers");
  flags.integer("--threads", how.threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("--json", "FILE", json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, pages_flags);
  flags.toggle("--quiet", quiet, "print no table and no progress");
  flags.examples(kStabilityExamples);
  if (!flags.parse(args)) return kDone;

  o.evaluate = checked_options(how);
  o.repeats = between("--repeats", repeats, 2, 100000);
  o.subsets = subsets == "nested" ? Subsets::nested : Subsets::independent;
  check_single(single);
  Pages pages(pages_flags);
  const Inputs inputs = load_inputs(input_flags, o.evaluate.threads);
  set_single(o, single, inputs.items.votes);
  check_outputs(pages.with_outputs({{"--json", json}}), inputs.paths);
  pages.open();
  std::optional<AtomicFile> file;
  if (!json.empty() && json != "-") file.emplace(json);

  Stability s;
  {
    ProgressBar bar(!quiet);
    o.progress = bar.callback();
    s = stability(inputs.items, o);
  }
  Result result = stability_result(s, inputs.items, o, single);
  result.argv = argv_of("stability", args);
  add_input_record(inputs, result);
  pages.add_checksums(result.inputs, inputs.paths);
  pages.finish(result);
  if (file) {
    file->write(render_json(result));
    file->commit();
  }
  print_result(result, json, quiet, [&] {
    return render_stability(s, stdout_options()) + notes_text(inputs) + stability_advice(args, pages_flags);
  });
  return kDone;
}

}  // namespace plumb::cli
