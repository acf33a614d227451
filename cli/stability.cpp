#include "plumb/evaluate/stability.hpp"

#include <charconv>

#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/json.hpp"
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

constexpr std::string_view kRater = "rater:";

SingleLabel parse_single(const std::string& text) {
  if (text == "majority") return SingleLabel::majority;
  if (text == "random") return SingleLabel::random;
  if (text.starts_with(kRater) && text.size() > kRater.size()) return SingleLabel::rater;
  throw InputError("--single takes majority, random or rater:NAME (or rater:k, from 0), not \"" + text +
                   "\"");
}

/// The rater of that name, else of that number.
int find_rater(const std::string& name, const Votes& votes) {
  Args known;
  for (int r = 0; r < votes.raters(); ++r) {
    known.push_back(votes.rater_name(r));
    if (known.back() == name) return r;
  }
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, number);
  if (error == std::errc{} && at == end && number >= 0) return number;
  throw InputError("--single rater:" + name + ": " + votes.rows().name() + " has no rater of that name" +
                   did_you_mean(name, known));
}

Result stability_head(const Items& items, const StabilityOptions& o, const std::string& single,
                      const Args& args) {
  Result r = result_of("stability", args);
  put_items(r, items);
  r.settings = {{"estimators", o.estimators},
                {"from", o.from},
                {"step", o.step},
                {"repeats", std::int64_t{o.repeats}},
                {"subsets", std::string(o.subsets == Subsets::nested ? "nested" : "independent")},
                {"single", single},
                {"ties", std::string(ties_name(o.evaluate.ties))},
                {"unit", std::string(items.groups.empty() ? "item" : "group")},
                {"bins", std::int64_t{o.evaluate.bins}},
                {"binning", std::string(o.evaluate.binning == Binning::width ? "width" : "mass")},
                {"clip", o.evaluate.clip},
                {"bandwidth", bandwidth_setting(o.evaluate)},
                {"leave_out", std::string(o.evaluate.leave_out == LeaveOut::vote ? "vote" : "item")},
                {"seed", o.evaluate.seed}};
  return r;
}

}  // namespace

int stability_command(const Args& args) {
  if (speaks_of_manifest(args)) return stability_manifest_command(args);
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
  o.single = parse_single(single);
  Pages pages(pages_flags);
  const Inputs inputs = load_inputs(input_flags, o.evaluate.threads);
  if (o.single == SingleLabel::rater) o.rater = find_rater(single.substr(kRater.size()), inputs.items.votes);
  check_outputs({{"--json", json}, {"--report", pages_flags.report}, {"--plots", pages_flags.plots}},
                inputs.paths);
  pages.open();
  std::optional<AtomicFile> file;
  if (!json.empty() && json != "-") file.emplace(json);

  Stability s;
  {
    ProgressBar bar(!quiet);
    o.progress = bar.callback();
    s = stability(inputs.items, o);
  }
  Result result = stability_head(inputs.items, o, single, args);
  put_books(inputs, result);
  pages.add_checksums(result.inputs, inputs.paths);
  result.votes = s.votes;
  result.sections.emplace_back("stability", stability_section(s));
  result.tables.emplace_back("precision", precision_table(s));
  if (file) {
    file->write(render_json(result));
    file->commit();
  }
  pages.finish(result);
  print_result(result, json, quiet, [&] { return render_stability(s, stdout_look()) + notes_text(inputs); });
  return kDone;
}

}  // namespace plumb::cli
