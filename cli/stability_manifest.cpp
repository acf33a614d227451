// `plumb stability --manifest`: subsets of cases, or of the voxels of each case.
#include "case_flags.hpp"
#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "output.hpp"
#include "output_paths.hpp"
#include "pages.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/case_stability.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/results.hpp"
#include "plumb/report/stability.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kStabilityCasesExamples = R"(Examples:
  total variation within each image, all raters against the first
    plumb stability --manifest cases.csv --within case --single rater:rater_1 --estimators ece,brier
  how the pooled error varies with fewer cases, as a figure
    plumb stability --manifest cases.csv --repeats 200 --step 0.1 --figure stability.pdf)";

SingleLabel single_label(const std::string& text, std::string& rater) {
  if (text == "majority") return SingleLabel::majority;
  if (text == "random") return SingleLabel::random;
  constexpr std::string_view kPrefix = "rater:";
  if (!text.starts_with(kPrefix) || text.size() == kPrefix.size())
    throw InputError("--single takes majority, random or rater:NAME (a column of the manifest), not \"" +
                     text + "\"");
  rater = text.substr(kPrefix.size());
  return SingleLabel::rater;
}

}  // namespace

int stability_manifest_command(const Args& args) {
  Flags flags(
      "stability",
      "How an estimate varies with fewer cases, or with fewer voxels of each case (--within case), with one label and with all raters.");
  CaseFlags f;
  EvaluateFlags how;
  CaseStabilityOptions options;
  StabilityOptions& o = options.stability;
  std::int64_t repeats = o.repeats;
  std::string within = "none", subsets = "nested", single = "majority", json;
  bool quiet = false;
  PageFlags pages_flags;
  add_case_flags(flags, f, {.structures = true, .layouts = true, .arrays = true});
  flags.heading("Computation");
  flags.choice("--within", {"none", "case"}, within, "case: subsets of the voxels of each case");
  flags.list("--estimators", "k,k", o.estimators, "keys from \"plumb list\" [ece]");
  flags.list("--metrics", "k,k", o.estimators, "alias of --estimators");
  flags.exclusive({"--estimators", "--metrics"});
  flags.number("--from", o.from, "the smallest share of the test set");
  flags.number("--step", o.step, "step between shares");
  flags.integer("--repeats", repeats, "draws of the test set");
  flags.choice("--subsets", {"nested", "independent"}, subsets,
               "nested parts of one draw, or independent draws");
  flags.text("--single", "HOW", single, "the one label: majority, random or rater:COLUMN [" + single + "]");
  add_ties_flag(flags, how);
  flags.integer("--bins", how.bins, "bins of the reliability table");
  flags.choice("--binning", {"width", "mass"}, how.binning, "bins of equal width or equal mass");
  flags.number("--clip", how.options.clip, "clip probabilities to [X, 1-X] in log-loss");
  add_bandwidth_flag(flags, how);
  flags.seed("--seed", how.options.seed, "seed of the random numbers");
  flags.integer("--threads", how.threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("--json", "FILE", json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, pages_flags);
  flags.toggle("--quiet", quiet, "print no table and no progress");
  flags.examples(kStabilityCasesExamples);
  if (!flags.parse(args)) return kDone;

  if (within == "none" && flags.given("--bandwidth"))
    throw InputError(
        "--bandwidth has no effect over cases, where kernel estimators are refused; use --within case");
  o.evaluate = checked_options(how);
  o.repeats = between("--repeats", repeats, 2, 100000);
  o.subsets = subsets == "nested" ? Subsets::nested : Subsets::independent;
  o.single = single_label(single, options.rater);
  Pages pages(pages_flags);
  const CaseInputs cases = open_cases(f, o.evaluate.threads);
  check_outputs(pages.with_outputs({{"--json", json}}), cases.paths);
  pages.open();
  std::optional<AtomicFile> file;
  if (!json.empty() && json != "-") file.emplace(json);

  Result result = result_of("stability", args);
  const auto read = [&](std::int64_t i) {
    Case c = cases.read(i);
    result.classes = c.items.classes();  // one reader at a time
    return c;
  };
  std::string table;
  {
    ProgressBar bar(!quiet);
    o.progress = bar.callback();
    if (within == "case") {
      const WithinCases w = stability_within_cases(cases.names, read, options);
      result.items = w.items;
      result.votes = w.votes;
      result.tables.emplace_back("within_cases", within_table(w));
      result.tables.emplace_back("over_cases", over_cases_table(w));
      table = render_within(w, stdout_options());
    } else {
      const Stability s = stability_over_cases(cases.names, read, options);
      result.items = s.items;
      result.votes = s.votes;
      result.sections.emplace_back("stability", stability_section(s));
      result.tables.emplace_back("precision", precision_table(s));
      table = render_stability(s, stdout_options());
    }
  }
  result.task = result.classes == 2 ? "binary" : "multiclass";
  result.settings = {{"estimators", o.estimators},
                     {"from", o.from},
                     {"step", o.step},
                     {"repeats", std::int64_t{o.repeats}},
                     {"subsets", subsets},
                     {"single", single},
                     {"ties", std::string(ties_name(o.evaluate.ties))},
                     {"within", within},
                     {"unit", std::string(within == "case"         ? "item"
                                          : cases.manifest.grouped ? "group"
                                                                   : "case")},
                     {"bins", std::int64_t{o.evaluate.bins}},
                     {"binning", how.binning},
                     {"clip", o.evaluate.clip},
                     {"bandwidth", bandwidth_setting(o.evaluate)},
                     {"seed", o.evaluate.seed}};
  add_case_settings(f, cases, result);
  pages.finish(result);
  if (file) {
    file->write(render_json(result));
    file->commit();
  }
  print_result(result, json, quiet, [&] { return table; });
  return kDone;
}

}  // namespace plumb::cli
