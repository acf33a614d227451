#include "plumb/uncertainty/uncertainty.hpp"

#include <charconv>

#include "commands.hpp"
#include "evaluate_flags.hpp"
#include "fail_if.hpp"
#include "inputs.hpp"
#include "next_command.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/load.hpp"
#include "plumb/io/pictures.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/uncertainty.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kUncertaintyExamples = R"(Examples:
  which measure detects wrong answers, and which threshold to use
    plumb uncertainty --probs probs.npy --labels labels.npy
  an ensemble or dropout: one file for each member
    plumb uncertainty --sample-logits a.npy b.npy c.npy --labels labels.npy --bootstrap 200
  a score of your own, larger for less certain items; suspects listed by name
    plumb uncertainty --probs probs.npy --labels labels.npy --score distance=items.csv:distance --ids items.csv:id --suspects-csv look.csv
  with a picture of each suspect in a report
    plumb uncertainty --probs probs.npy --labels labels.npy --images items.csv:file --report report.html
  a histogram: columns w and p, rows from the least to the most confident bin
    plumb uncertainty --histogram bins.csv
The odds ratio says by how much knowing the measure changes the odds of a right answer; 1: not at all.)";

struct UncertaintyFlags {
  InputFlags inputs;
  UncertaintyOptions o;
  Args measures, metrics, targets, scores, images, fail_if;
  std::string top = "1", degenerate = degenerate_name(UncertaintyOptions{}.degenerate);
  std::int64_t bins = kEqualMassBins, suspects = o.suspects, bootstrap = o.bootstrap,
               permutations = o.permutations, threads = o.threads;
  double base_rate = 0;
  std::string histogram, suspects_csv, json;
  PageFlags pages;
  bool quiet = false;
};

void add_uncertainty_flags(Flags& flags, UncertaintyFlags& f) {
  add_answer_flags(flags, f.inputs);
  flags.later("--by", "plumb uncertainty does not report by slice; leave out --by, or run it on each slice");
  flags.later("--concentration", "--concentration does not change whether an answer is right; leave it out");
  flags.later("--truth", "--truth is not used by plumb uncertainty; leave it out");
  flags.repeated("--score", "NAME=FILE", f.scores,
                 "N scores of your own, larger for less certain items; repeatable");
  flags.list("--images", "FILE", f.images,
             "pictures for --report: N x H x W, with channels first or last, or a CSV column of file names");
  flags.heading("Computation");
  flags.list("--measures", "m,m", f.measures,
             "entropy, u1, u5, loss, variance, mutual_information, expected_entropy [all that apply]");
  flags.list("--metrics", "m,m", f.metrics, "alias of --measures");
  flags.exclusive({"--measures", "--metrics"});
  flags.choice("--top", {"1", "5"}, f.top,
               "an answer is right if the label is among the N most probable classes");
  flags.whole("--bins", f.bins, "equal-mass bins of the measure; when given, also for the odds ratio");
  flags.choice("--degenerate", {"pool", "jeffreys", "error"}, f.degenerate,
               "how to treat bins of only right or only wrong answers");
  flags.number("--base-rate", f.base_rate, "accuracy that the odds are relative to [the observed one]");
  flags.number("--coarsen", f.o.coarsen, "merge bins until their relative error is at most X; 0: never");
  flags.list("--targets", "x,x", f.targets, "accuracies to find thresholds for [0.99,0.95]");
  flags.number("--confidence", f.o.confidence,
               "also find thresholds that hold for future items with this probability; 0: none");
  flags.whole("--suspects", f.suspects, "number of confident wrong items to list");
  flags.text("--suspects-by", "NAME", f.o.suspects_by, "measure that ranks them [u1]");
  flags.whole("--bootstrap", f.bootstrap, "replicates for intervals; 0: none");
  flags.whole("--permutations", f.permutations,
              "permutations of the measure, for the score of a useless one; 0: none");
  flags.number("--level", f.o.level, "confidence level of the intervals");
  flags.seed("--seed", f.o.seed, "seed of the random numbers");
  flags.whole("--threads", f.threads, "number of threads; 0: all cores; does not change the results");
  flags.text("--histogram", "FILE", f.histogram, "evaluate this histogram (columns w, p) instead of items");
  flags.heading("Output");
  flags.text("--json", "FILE", f.json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, f.pages);
  flags.text("--suspects-csv", "FILE", f.suspects_csv, "the suspects as a table");
  flags.repeated("--fail-if", "\"u1.eor<5\"", f.fail_if,
                 "exit with code 3 if this holds for a measure's score; repeatable");
  flags.yes("--quiet", f.quiet, "print no table and no progress");
  flags.examples(kUncertaintyExamples);
}

double accuracy(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError("--targets takes accuracies such as 0.99,0.95, not \"" + text + "\"");
  return x;
}

UncertaintyOptions uncertainty_options(const UncertaintyFlags& f, const Flags& flags) {
  UncertaintyOptions o = f.o;
  o.measures = f.measures.empty() ? f.metrics : f.measures;
  o.top = f.top == "5" ? 5 : 1;
  check_threads(f.threads);
  if (flags.given("--bins")) {
    check_bins(f.bins);
    o.bins = to_int("--bins", f.bins);
  }
  o.suspects = to_int("--suspects", f.suspects);
  o.bootstrap = to_int("--bootstrap", f.bootstrap);
  o.permutations = to_int("--permutations", f.permutations);
  o.threads = to_int("--threads", f.threads);
  o.degenerate = f.degenerate == "pool"       ? Degenerate::pool
                 : f.degenerate == "jeffreys" ? Degenerate::jeffreys
                                              : Degenerate::error;
  if (flags.given("--base-rate")) o.base_rate = f.base_rate;
  if (!f.targets.empty()) {
    o.targets.clear();
    for (const std::string& t : f.targets) o.targets.push_back(accuracy(t));
  }
  return o;
}

/// --score NAME=FILE
std::pair<std::string, Rows> own_score(const std::string& text, int threads, Inputs& inputs) {
  const auto cut = text.find('=');
  if (cut == std::string::npos || cut == 0 || cut + 1 == text.size())
    throw InputError("--score takes NAME=FILE, as in margin=margin.npy, not \"" + text + "\"");
  const std::string name = text.substr(0, cut);
  const auto bad = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_");
  if (bad != std::string::npos || name[0] == '_' || (name[0] >= '0' && name[0] <= '9'))
    throw InputError(
        "--score: a name consists of lower-case letters, digits and _ and starts with a letter, not \"" +
        name + "\"");
  return {name, Loader(threads, inputs).rows("--score", {text.substr(cut + 1)})};
}

std::optional<Pictures> load_pictures(const Args& specs, int threads, std::int64_t items, Inputs& inputs) {
  if (specs.empty()) return std::nullopt;
  const auto sources = resolve(specs);
  Rows rows = load(specs, {Want::either, false, threads});
  for (const Source& source : sources) inputs.paths.push_back(source.path);
  for (const Array& a : rows.shards())
    inputs.infos.push_back({"--images", a.name, a.shape, dtype_name(a.dtype), ""});
  Pictures out(std::move(rows), sources.front().path);
  if (out.size() != items)
    throw InputError(out.name() + " has " + counted(out.size(), "picture") + " for " +
                     counted(items, "item") + "; give one for each");
  return out;
}

/// Of the suspects, and a note about those that are too large for a page.
std::vector<std::string> suspect_pictures(const Pictures& pictures, const UncertaintyResult& r,
                                          std::vector<std::string>& notes) {
  std::vector<std::string> out;
  std::int64_t large = 0;
  for (const Suspect& s : r.suspects) {
    out.push_back(pictures.data_uri(s.row));
    large += out.back().empty() ? 1 : 0;
  }
  if (large > 0)
    notes.push_back(counted(large, "picture") + " of suspects left out: larger than " +
                    std::to_string(kMostPictureBytes / 1000) + " kB");
  return out;
}

/// Columns w and p of a CSV, or an N x 2 array.
UncertaintyResult histogram(const std::string& spec, const UncertaintyOptions& o, Inputs& inputs) {
  std::string selected = spec;
  const auto sources = resolve(Args{spec});
  const bool table = spec.ends_with(".csv") || spec.ends_with(".tsv");
  if (table && sources.size() == 1 && sources[0].selection.empty()) selected += ":w,p";
  const Rows rows = Loader(o.threads, inputs).rows("--histogram", {selected});
  if (rows.width() != 2)
    throw InputError(rows.name() +
                     ": a histogram has two columns, the weight w and the accuracy p of each bin, not " +
                     std::to_string(rows.width()));
  std::vector<double> both(2 * rows.rows()), w, p;
  rows.read(0, rows.rows(), both);
  for (std::size_t i = 0; i < both.size(); i += 2) {
    w.push_back(both[i]);
    p.push_back(both[i + 1]);
  }
  return score_histogram(w, p, o);
}

/// "u1.eor", "entropy.auroc", ...
MetricResults measure_scores(const UncertaintyResult& r) {
  MetricResults out;
  for (const MeasureResult& m : r.measures)
    for (const auto& [key, score] : m.scores) out.emplace_back(m.name + "." + key, score);
  return out;
}

Result uncertainty_head(const UncertaintyOptions& o, const Args& args) {
  Result r = result_of("uncertainty", args);
  r.settings = {
      {"top", std::int64_t{o.top}},
      {"bins", std::int64_t{o.bins.value_or(kEqualMassBins)}},
      {"eor_bins",
       std::string(
           o.bins || o.coarsen > 0
               ? "the bins of the other scores"
               : "by the rarer outcome: min(100, floor(W/25)) bins, W its votes; edges at its quantiles of the measure")},
      {"bin", std::string("min(bins-1, floor(bins * share of weight with a smaller measure))")},
      {"degenerate", std::string(degenerate_name(o.degenerate))},
      {"base_rate", o.base_rate ? Value(*o.base_rate) : Value(std::string("observed"))},
      {"coarsen", o.coarsen},
      {"targets", o.targets},
      {"confidence", o.confidence},
      {"argmax_ties", std::string("lowest class")},
      {"weighting", std::string("each vote one, times the item's weight")},
      {"bootstrap", std::int64_t{o.bootstrap}},
      {"permutations", std::int64_t{o.permutations}},
      {"level", o.level},
      {"seed", o.seed}};
  return r;
}

/// What a sensible person would run next, with their own files: intervals first, then the suspects.
std::string uncertainty_advice(const Args& args, const UncertaintyFlags& f, const UncertaintyResult& r) {
  const auto again = [&](const char* more) {
    Args parts = argument_parts(args, [](const std::string& flag) { return flag != "--bootstrap"; });
    parts.insert(parts.begin(), "plumb uncertainty");
    parts.emplace_back(more);
    return parts;
  };
  if (r.items == 0 || !f.fail_if.empty()) return "";
  if (f.bootstrap == 0 && r.items > 1)
    return next_command("How sure is the ranking?", again("--bootstrap 200"));
  if (f.suspects_csv.empty() && !r.suspects.empty())
    return next_command("Get the suspects as a table to go through:", again("--suspects-csv suspects.csv"));
  return "";
}

void check_files(const UncertaintyFlags& f, const std::vector<std::string>& inputs) {
  check_outputs({{"--json", f.json},
                 {"--suspects-csv", f.suspects_csv},
                 {"--report", f.pages.report},
                 {"--plots", f.pages.plots}},
                inputs);
}

}  // namespace

int uncertainty_command(const Args& args) {
  Flags flags(
      "uncertainty",
      "Which uncertainty measure separates right answers from wrong ones, how well, and which threshold to use.\n"
      "A FILE is .npy, .npz:array, .csv:column or .csv:a,b; several files or a quoted pattern are shards.");
  UncertaintyFlags f;
  add_uncertainty_flags(flags, f);
  if (!flags.parse(args)) return kDone;
  UncertaintyOptions o = uncertainty_options(f, flags);
  const std::vector<Gate> gates = parse_gates(f.fail_if);
  Result result = uncertainty_head(o, args);
  UncertaintyResult r;
  ItemNames names;
  std::optional<AtomicFile> json, csv;
  Pages pages(f.pages);
  const auto open = [&](const Inputs& inputs) {
    check_files(f, inputs.paths);
    pages.open();
    if (!f.json.empty() && f.json != "-") json.emplace(f.json);
    if (!f.suspects_csv.empty()) csv.emplace(f.suspects_csv);
  };
  if (!f.images.empty() && f.json.empty() && !pages.wanted())
    throw InputError("--images are for the report; also give --report FILE.html or --json FILE");
  Inputs inputs;
  std::optional<Pictures> pictures;
  if (!f.histogram.empty()) {
    for (const char* flag : {"--probs", "--logits", "--samples", "--sample-logits", "--labels", "--counts",
                             "--ratings", "--annotations", "--score", "--images"})
      if (flags.given(flag))
        throw InputError(std::string("--histogram and ") + flag + " cannot be combined; give one of them");
    r = histogram(f.histogram, o, inputs);
    open(inputs);
    result.task = "binary";
    result.classes = 2;
  } else {
    inputs = load_inputs(f.inputs, o.threads);
    std::vector<std::pair<std::string, Rows>> own;
    for (const std::string& text : f.scores) {
      own.push_back(own_score(text, o.threads, inputs));
      for (std::size_t i = 0; i + 1 < own.size(); ++i)
        if (own[i].first == own.back().first)
          throw InputError("--score gives the name " + own[i].first + " twice; names must differ");
    }
    pictures = load_pictures(f.images, o.threads, inputs.items.size(), inputs);
    names.ids = inputs.ids;
    names.classes = inputs.items.class_names;
    open(inputs);
    ProgressBar bar(!f.quiet);
    o.progress = bar.callback();
    r = uncertainty(inputs.items, own, names.ids, o);
    put_items(result, inputs.items);
    result.votes = r.votes;
    result.settings.emplace_back(
        "scale", std::string(inputs.items.predictions.scale() == Scale::logit ? "logits" : "probabilities"));
    result.settings.emplace_back("samples", std::int64_t{inputs.items.predictions.samples()});
    result.settings.emplace_back("unit", std::string(inputs.items.groups.empty() ? "item" : "group"));
    result.settings.emplace_back("suspects_by", r.suspects_by);
  }
  result.notes = uncertainty_notes(r, o);
  put_books(inputs, result);
  pages.add_checksums(result.inputs, inputs.paths);
  result.sections.emplace_back("accuracy", Value(r.accuracy));
  result.sections.emplace_back("base_accuracy", Value(r.base));
  result.sections.emplace_back("measures", measures_section(r));
  std::vector<std::string> images;
  if (pictures) images = suspect_pictures(*pictures, r, result.notes);
  result.sections.emplace_back("suspects", suspects_section(r, names, images));
  const std::vector<std::string> held =
      gates_that_hold(gates, measure_scores(r), {.replicates = o.bootstrap});
  if (json) json->write(render_json(result));
  if (csv) csv->write(suspects_csv(r, names));
  if (json) json->commit();
  if (csv) csv->commit();
  pages.finish(result);
  print_result(result, f.json, f.quiet, [&] {
    return render_uncertainty(r, names, result.notes, stdout_look()) + uncertainty_advice(args, f, r);
  });
  return exit_code(held);
}

}  // namespace plumb::cli
