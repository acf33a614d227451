#include "plumb/uncertainty/uncertainty.hpp"

#include <algorithm>
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
#include "plumb/io/table_file.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/results.hpp"
#include "shell/progress.hpp"
#include "uncertainty_manifest.hpp"

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
  voxels of segmented images, from a manifest
    plumb uncertainty --manifest cases.csv --bootstrap 200
  a histogram: columns w and p, rows from the least to the most confident bin
    plumb uncertainty --histogram bins.csv
The odds ratio says by how much knowing the measure changes the odds of a right answer; 1: not at all.)";

struct UncertaintyFlags {
  InputFlags inputs;
  VoxelFlags voxels;
  UncertaintyOptions o;
  Args measures, metrics, targets, scores, images, fail_if;
  std::string top = "1", degenerate = degenerate_name(UncertaintyOptions{}.degenerate);
  std::int64_t bins = kEqualMassBins, suspects = o.suspects, bootstrap = o.bootstrap,
               permutations = o.permutations, threads = o.threads;
  double base_rate = 0;
  std::string base_from = "observed";
  std::string histogram, suspects_csv, json;
  PageFlags pages;
  bool quiet = false;
};

/// Of items in arrays.
void add_item_flags(Flags& flags, UncertaintyFlags& f) {
  add_answer_flags(flags, f.inputs);
  flags.unavailable("--by",
                    "plumb uncertainty does not report by slice; leave out --by, or run it on each slice");
  flags.unavailable("--concentration",
                    "--concentration does not change whether an answer is right; leave it out");
  flags.unavailable("--truth", "--truth is not used by plumb uncertainty; leave it out");
  flags.repeated("--score", "NAME=FILE", f.scores,
                 "N scores of your own, larger for less certain items; repeatable");
  flags.list("--images", "FILE", f.images,
             "pictures for --report: N x H x W, with channels first or last, or a CSV column of file names");
  flags.text("--histogram", "FILE", f.histogram, "evaluate this histogram (columns w, p) instead of items");
}

void add_uncertainty_flags(Flags& flags, UncertaintyFlags& f, bool of_cases) {
  if (of_cases) add_voxel_flags(flags, f.voxels);
  if (!of_cases) add_item_flags(flags, f);
  flags.heading("Computation");
  flags.list("--measures", "m,m", f.measures,
             "entropy, u1, u5, loss, variance, mutual_information, expected_entropy [all that apply]");
  flags.list("--metrics", "m,m", f.metrics, "alias of --measures");
  flags.exclusive({"--measures", "--metrics"});
  flags.choice("--top", {"1", "5"}, f.top,
               "an answer is right if the label is among the N most probable classes");
  flags.integer("--bins", f.bins, "equal-mass bins of the measure; when given, also for the odds ratio");
  flags.choice("--degenerate", {"pool", "jeffreys", "error"}, f.degenerate,
               "how to treat bins of only right or only wrong answers");
  flags.number_or_name("--base-rate", {"observed"}, f.base_rate, f.base_from,
                       "accuracy that the odds are relative to; observed: that of the data");
  flags.number("--coarsen", f.o.coarsen, "merge bins until their relative error is at most X; 0: never");
  flags.list("--targets", "x,x", f.targets, "accuracies to find thresholds for [0.99,0.95]");
  flags.number("--confidence", f.o.confidence,
               "also find thresholds that are guaranteed for future items with this probability; 0: none");
  flags.integer("--suspects", f.suspects, "number of confident wrong items to list");
  flags.text("--suspects-by", "NAME", f.o.suspects_by, "measure that ranks them [u1]");
  flags.integer("--bootstrap", f.bootstrap, "replicates for intervals; 0: none");
  flags.integer("--permutations", f.permutations,
                "permutations of the measure, for the score that a useless measure would have; 0: none");
  flags.number("--level", f.o.level, "confidence level of the intervals");
  flags.seed("--seed", f.o.seed, "seed of the random numbers");
  flags.integer("--threads", f.threads, "number of threads; 0: all cores; does not change the results");
  flags.heading("Output");
  flags.text("--json", "FILE", f.json, "write the full result as JSON; - for standard output");
  add_page_flags(flags, f.pages);
  flags.text("--suspects-csv", "FILE", f.suspects_csv, "the suspects as a table: .csv or .parquet");
  flags.repeated("--fail-if", "\"u1.eor<5\"", f.fail_if,
                 "exit with code 3 if this holds for a measure's score; repeatable");
  flags.toggle("--quiet", f.quiet, "print no table and no progress");
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
  if (f.base_rate > 0) o.base_rate = f.base_rate;
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

/// Pictures of the suspects, and a note about those that are too large for a page.
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

/// The suggested next command, with the user's files: intervals first, then the suspects.
std::string uncertainty_advice(const Args& args, const UncertaintyFlags& f, const UncertaintyResult& r) {
  const auto again = [&](const char* more) {
    Args parts = argument_parts(args, [](const std::string& flag) { return flag != "--bootstrap"; });
    parts.insert(parts.begin(), "plumb uncertainty");
    parts.emplace_back(more);
    return parts;
  };
  if (r.items == 0 || !f.fail_if.empty()) return "";
  if (f.bootstrap == 0 && r.items > 1)
    return next_command("Get intervals for these scores:", again("--bootstrap 200"));
  if (f.suspects_csv.empty() && !r.suspects.empty())
    return next_command("Get the suspects as a table to go through:", again("--suspects-csv suspects.csv"));
  return "";
}

/// Measures of the voxels of cases, and what the settings then also say.
UncertaintyResult of_voxels(const UncertaintyFlags& f, UncertaintyOptions o,
                            const std::function<void(const Inputs&)>& open, Inputs& inputs, ItemNames& names,
                            std::vector<std::pair<std::string, Value>>& settings) {
  if (f.voxels.cases.foreground)
    throw InputError(
        "--foreground selects voxels by their votes, which depend on who was right; use --predicted or a roi");
  VoxelInputs voxels = voxel_inputs(f.voxels, o.seed, o.threads, f.quiet);
  inputs = std::move(voxels.inputs);
  open(inputs);
  ProgressBar bar(!f.quiet);
  o.progress = bar.callback();
  UncertaintyResult r = uncertainty(inputs.items, {}, {}, o);
  names = {voxel_names(voxels, r.suspects), inputs.items.class_names};
  settings = {{"unit", std::string(voxels.grouped ? "group" : "case")},
              {"voxels_seen", voxels.seen},
              {"most_voxels", f.voxels.voxels}};
  if (!voxels.note.empty()) inputs.notes.push_back(voxels.note);
  return r;
}

/// A setting that is there already gets the new value.
void set_settings(Result& result, const std::vector<std::pair<std::string, Value>>& settings) {
  for (const auto& one : settings) {
    const auto old = std::find_if(result.settings.begin(), result.settings.end(),
                                  [&](const auto& s) { return s.first == one.first; });
    if (old == result.settings.end())
      result.settings.push_back(one);
    else
      old->second = one.second;
  }
}

}  // namespace

int uncertainty_command(const Args& args) {
  Flags flags(
      "uncertainty",
      "Which uncertainty measure separates right answers from wrong ones, how well, and which threshold to use.\n"
      "A FILE is .npy, .npz:array, .csv:column or .csv:a,b; several files or a quoted pattern are shards.");
  UncertaintyFlags f;
  const bool of_cases = has_manifest_flags(args);
  add_uncertainty_flags(flags, f, of_cases);
  if (!flags.parse(args)) return kDone;
  UncertaintyOptions o = uncertainty_options(f, flags);
  const std::vector<Gate> gates = parse_gates(f.fail_if);
  UncertaintyResult r;
  ItemNames names;
  std::optional<AtomicFile> json;
  std::optional<TableTextFile> csv;
  Pages pages(f.pages);
  const auto open = [&](const Inputs& inputs) {
    check_outputs(pages.with_outputs({{"--json", f.json}, {"--suspects-csv", f.suspects_csv}}), inputs.paths);
    pages.open();
    if (!f.json.empty() && f.json != "-") json.emplace(f.json);
    if (!f.suspects_csv.empty()) csv.emplace(f.suspects_csv);
  };
  if (!f.images.empty() && f.json.empty() && !pages.wanted())
    throw InputError("--images are for the report; also give --report FILE.html or --json FILE");
  Inputs inputs;
  std::vector<std::pair<std::string, Value>> voxel_settings;
  std::optional<Pictures> pictures;
  if (of_cases) {
    r = of_voxels(f, o, open, inputs, names, voxel_settings);
  } else if (!f.histogram.empty()) {
    for (const char* flag : {"--probs", "--logits", "--samples", "--sample-logits", "--labels", "--counts",
                             "--ratings", "--annotations", "--score", "--images"})
      if (flags.given(flag))
        throw InputError(std::string("--histogram and ") + flag + " cannot be combined; give one of them");
    r = histogram(f.histogram, o, inputs);
    open(inputs);
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
  }
  std::vector<std::string> images, too_large;
  if (pictures) images = suspect_pictures(*pictures, r, too_large);
  Result result = uncertainty_result(r, o, f.histogram.empty() ? &inputs.items : nullptr, names, images);
  set_settings(result, voxel_settings);
  result.argv = argv_of("uncertainty", args);
  result.notes.insert(result.notes.end(), too_large.begin(), too_large.end());
  add_input_record(inputs, result);
  pages.add_checksums(result.inputs, inputs.paths);
  const std::vector<std::string> held =
      gates_that_hold(gates, measure_scores(r), {.replicates = o.bootstrap});
  if (json) json->write(render_json(result));
  if (csv) csv->write(suspects_csv(r, names));
  pages.finish(result);
  if (json) json->commit();
  if (csv) csv->commit();
  print_result(result, f.json, f.quiet, [&] {
    return render_uncertainty(r, names, result.notes, stdout_options()) + uncertainty_advice(args, f, r);
  });
  return exit_code(held);
}

}  // namespace plumb::cli
